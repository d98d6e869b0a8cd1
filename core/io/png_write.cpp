#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/assert.h"
#include "core/base/thread_pool.h"
#include "core/io/png.h"
#include "core/io/png_strip.h"

namespace headscope {

namespace {

constexpr std::int64_t kPixelsAStrip = std::int64_t{1} << 18;
constexpr std::int64_t kLargePicture = std::int64_t{1} << 22;  // pixels from which time matters more than bytes

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// Length, type, data, CRC-32 of type and data (https://www.w3.org/TR/png-3/ section 5.3). The data may come in pieces.
void write_chunk(std::ostream& out, const std::string& type, std::initializer_list<const std::string*> pieces) {
  std::size_t size = 0;
  uLong crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(type.data()), type.size());
  for (const std::string* piece : pieces) {
    size += piece->size();
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(piece->data()), piece->size());
  }
  HEADSCOPE_ASSERT(size <= 0x7FFFFFFF, fmt::format("a PNG chunk of {} bytes", size));
  out << big_endian(static_cast<std::uint32_t>(size)) << type;
  for (const std::string* piece : pieces) out << *piece;
  out << big_endian(static_cast<std::uint32_t>(crc));
}

void write_chunk(std::ostream& out, const std::string& type, const std::string& data) {
  write_chunk(out, type, {&data});
}

void check_texts(const std::map<std::string, std::string>& texts) {
  for (const auto& [keyword, text] : texts) {
    bool latin = !keyword.empty() && keyword.size() <= 79 && keyword.front() != ' ' && keyword.back() != ' ';
    for (const char c : keyword) latin = latin && c >= 0x20 && c < 0x7F;
    HEADSCOPE_ASSERT(latin, "PNG keyword '" + keyword + "'");
    HEADSCOPE_ASSERT(text.find('\0') == text.npos, "a NUL in the PNG text '" + keyword + "'");
  }
}

void write_head(std::ostream& out, const PictureRows& picture, const std::map<std::string, std::string>& texts) {
  out << "\x89PNG\r\n\x1a\n";
  const std::string size =
      big_endian(static_cast<std::uint32_t>(picture.width)) + big_endian(static_cast<std::uint32_t>(picture.height));
  // 8 bits, red green blue, with alpha where there is some; deflate, the five filters, not interlaced.
  write_chunk(out, "IHDR", size + std::string{8, static_cast<char>(picture.has_alpha ? 6 : 2), 0, 0, 0});
  write_chunk(out, "sRGB", std::string(1, '\0'));  // perceptual
  if (picture.pixels_per_inch > 0) {
    const auto a_metre = static_cast<std::uint32_t>(std::lround(picture.pixels_per_inch / 0.0254));
    write_chunk(out, "pHYs", big_endian(a_metre) + big_endian(a_metre) + '\1');
  }
  for (const auto& [keyword, text] : texts) {
    // Not compressed, no language, no translated keyword.
    const std::string front = keyword + std::string(5, '\0');
    write_chunk(out, "iTXt", {&front, &text});
  }
}

// One strip's pixels, on their way into the file.
struct Strip {
  Range rows;
  Image pixels;
  PngStrip packed;
};

class PixelWriter {
 public:
  PixelWriter(std::ostream& out, const PictureRows& picture, const CancelToken& cancel,
              const std::function<void(double)>& progress)
      : out_(out),
        picture_(picture),
        cancel_(cancel),
        progress_(progress),
        strip_rows_(std::clamp<std::int64_t>(kPixelsAStrip / picture.width, 1, picture.rows_at_once)),
        pool_(0),
        strips_(static_cast<std::size_t>(pool_.threads())) {}

  void write() {
    for (std::int64_t begin = 0; begin < picture_.height; begin += picture_.rows_at_once) {
      const Range rows{begin, std::min<std::int64_t>(begin + picture_.rows_at_once, picture_.height)};
      cancel_.check();
      picture_.load(rows);
      write_loaded(rows);
    }
  }

 private:
  void write_loaded(Range rows) {
    for (std::int64_t next = rows.begin; next < rows.end;) {
      cancel_.check();
      std::int64_t count = 0;
      for (Strip& strip : strips_) {
        if (next == rows.end) break;
        strip.rows = {next, std::min(next + strip_rows_, rows.end)};
        next = strip.rows.end;
        ++count;
      }
      pool_.run(count, true, [this](std::int64_t k) { make(strips_[static_cast<std::size_t>(k)]); });
      for (std::int64_t k = 0; k < count; ++k) write_strip(strips_[static_cast<std::size_t>(k)]);
      if (progress_) progress_(static_cast<double>(next) / picture_.height);
    }
  }

  void make(Strip& strip) const {
    if (strip.pixels.height != strip.rows.size()) {
      strip.pixels = Image(picture_.width, static_cast<int>(strip.rows.size()));
    }
    picture_.draw(strip.rows, strip.pixels);
    const bool large = std::int64_t{picture_.width} * picture_.height >= kLargePicture;
    strip.packed = png_strip(strip.pixels.pixels, picture_.width, strip.rows.end == picture_.height, !large);
  }

  // The strips' blocks are one zlib stream (RFC 1950) over all IDAT chunks.
  void write_strip(const Strip& strip) {
    adler_ = ::adler32_combine(adler_, strip.packed.adler, static_cast<z_off_t>(strip.packed.plain_bytes));
    const std::string front = strip.rows.begin == 0 ? "\x78\x01" : "";
    const bool last = strip.rows.end == picture_.height;
    const std::string end = last ? big_endian(static_cast<std::uint32_t>(adler_)) : "";
    write_chunk(out_, "IDAT", {&front, &strip.packed.blocks, &end});
  }

  std::ostream& out_;
  const PictureRows& picture_;
  const CancelToken& cancel_;
  const std::function<void(double)>& progress_;
  const std::int64_t strip_rows_;
  ThreadPool pool_;
  std::vector<Strip> strips_;
  uLong adler_ = 1;
};

// With alpha, by zlib: such pictures are figures for pages, not large maps.
void write_with_alpha(std::ostream& out, const PictureRows& picture, const CancelToken& cancel) {
  std::string rows, packed;
  for (std::int64_t begin = 0; begin < picture.height; begin += picture.rows_at_once) {
    const Range part{begin, std::min<std::int64_t>(begin + picture.rows_at_once, picture.height)};
    cancel.check();
    picture.load(part);
    Image pixels(picture.width, static_cast<int>(part.size()));
    picture.draw(part, pixels);
    for (int y = 0; y < pixels.height; ++y) {
      rows += '\0';  // unfiltered
      for (int x = 0; x < pixels.width; ++x) {
        const Rgba& pixel = pixels.at(x, y);
        for (const std::uint8_t byte : {pixel.r, pixel.g, pixel.b, pixel.a}) rows += static_cast<char>(byte);
      }
    }
  }
  const auto plain = static_cast<uLong>(rows.size());  // of a figure: far below 4 GB
  uLongf size = ::compressBound(plain);
  packed.resize(size);
  const int status = ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                                 reinterpret_cast<const Bytef*>(rows.data()), plain, Z_BEST_COMPRESSION);
  if (status != Z_OK) throw Error("the PNG cannot be written: there is no memory to compress it");
  packed.resize(size);
  constexpr std::size_t kMostAChunk = std::size_t{1} << 24;
  for (std::size_t at = 0; at < packed.size(); at += kMostAChunk) {
    write_chunk(out, "IDAT", packed.substr(at, kMostAChunk));
  }
}

}  // namespace

void write_png(std::ostream& out, const PictureRows& picture, const std::map<std::string, std::string>& texts,
               const CancelToken& cancel, const std::function<void(double)>& progress) {
  constexpr int most = 1'000'000;  // a side; what libpng's readers accept by default
  HEADSCOPE_ASSERT(picture.width > 0 && picture.height > 0 && picture.width <= most && picture.height <= most,
                   fmt::format("a picture of {} x {}", picture.width, picture.height));
  check_texts(texts);
  write_head(out, picture, texts);
  if (picture.has_alpha) {
    write_with_alpha(out, picture, cancel);
  } else {
    PixelWriter(out, picture, cancel, progress).write();
  }
  write_chunk(out, "IEND", "");
  if (!out.good()) throw Error("the PNG cannot be written: the stream refused to take bytes");
}

void write_png(std::ostream& out, const Image& image, const std::map<std::string, std::string>& texts,
               const CancelToken& cancel) {
  write_png(out, rows_of(image), texts, cancel);
}

}  // namespace headscope

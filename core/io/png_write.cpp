#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "core/assert.h"
#include "core/error.h"
#include "core/io/png.h"

namespace headscope {

namespace {

// libpng reports errors by longjmp, which must not skip a destructor. So: whatever has one lives in the callers of
// guarded(), and what runs inside it has none. Exceptions must not cross libpng either: the write callback keeps them.
struct Writer {
  std::ostream* out = nullptr;
  std::exception_ptr failure;
  char message[200] = {};
  png_structp png = nullptr;
  png_infop info = nullptr;

  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

void on_error(png_structp png, png_const_charp message) {
  auto* writer = static_cast<Writer*>(png_get_error_ptr(png));
  std::snprintf(writer->message, sizeof writer->message, "%s", message);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_write(png_structp png, png_bytep data, std::size_t size) {
  auto* writer = static_cast<Writer*>(png_get_io_ptr(png));
  bool failed = true;
  try {
    writer->out->write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    failed = !writer->out->good();
  } catch (...) {
    writer->failure = std::current_exception();
  }
  if (failed) png_error(png, "the stream refused to take bytes");
}

void on_flush(png_structp) {}

// Runs `step` and turns libpng's error into an exception. `step` captures plain pointers and numbers only.
template <typename Step>
bool returned_normally(png_structp png, const Step& step) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  step();
  return true;
}

template <typename Step>
void guarded(const Writer& writer, const Step& step) {
  if (returned_normally(writer.png, step)) return;
  if (writer.failure) std::rethrow_exception(writer.failure);
  throw Error(fmt::format("the PNG cannot be written: {}", writer.message));
}

void check_texts(const std::map<std::string, std::string>& texts) {
  for (const auto& [keyword, text] : texts) {
    bool latin = !keyword.empty() && keyword.size() <= 79 && keyword.front() != ' ' && keyword.back() != ' ';
    for (const char c : keyword) latin = latin && c >= 0x20 && c < 0x7F;
    HEADSCOPE_ASSERT(latin, "PNG keyword '" + keyword + "'");
    HEADSCOPE_ASSERT(text.find('\0') == text.npos, "a NUL in the PNG text '" + keyword + "'");
  }
}

}  // namespace

void write_png_rows(std::ostream& out, std::int64_t width, std::int64_t height,
                    const std::function<void(std::int64_t y, std::span<std::uint8_t> rgb)>& row,
                    const std::map<std::string, std::string>& texts, const CancelToken& cancel) {
  constexpr std::int64_t most = 1'000'000;  // a side; what libpng's readers accept by default
  HEADSCOPE_ASSERT(width > 0 && height > 0 && width <= most && height <= most,
                   fmt::format("a picture of {} x {}", width, height));
  check_texts(texts);
  std::vector<png_text> chunks(texts.size());
  std::size_t next = 0;
  for (const auto& [keyword, text] : texts) {
    png_text& chunk = chunks[next++];
    chunk = {};
    chunk.compression = PNG_ITXT_COMPRESSION_NONE;
    chunk.key = const_cast<char*>(keyword.c_str());
    chunk.text = const_cast<char*>(text.c_str());
    chunk.itxt_length = text.size();
    chunk.lang = const_cast<char*>("");
    chunk.lang_key = const_cast<char*>("");
  }

  Writer writer;
  writer.out = &out;
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_error, on_warning);
  if (writer.png == nullptr) throw std::bad_alloc();
  writer.info = png_create_info_struct(writer.png);
  if (writer.info == nullptr) throw std::bad_alloc();
  Writer* const w = &writer;
  png_text* const first_chunk = chunks.data();
  const int chunk_count = static_cast<int>(chunks.size());
  guarded(writer, [w, width, height, first_chunk, chunk_count] {
    png_set_write_fn(w->png, w, on_write, on_flush);
    png_set_IHDR(w->png, w->info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(w->png, w->info, PNG_sRGB_INTENT_PERCEPTUAL);
    if (chunk_count > 0) png_set_text(w->png, w->info, first_chunk, chunk_count);
    // Heatmaps are runs of equal cells: one filter and a low level lose little size and save most of the time.
    png_set_filter(w->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_compression_level(w->png, 3);
    png_write_info(w->png, w->info);
  });
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width) * 3);
  std::uint8_t* const pixels = rgb.data();
  for (std::int64_t y = 0; y < height; ++y) {
    if (y % 64 == 0) cancel.check();
    row(y, rgb);
    guarded(writer, [w, pixels] { png_write_row(w->png, pixels); });
  }
  guarded(writer, [w] { png_write_end(w->png, w->info); });
}

void write_png(std::ostream& out, const Image& image, const std::map<std::string, std::string>& texts,
               const CancelToken& cancel) {
  const auto row = [&image](std::int64_t y, std::span<std::uint8_t> rgb) {
    std::uint8_t* to = rgb.data();
    for (int x = 0; x < image.width; ++x) {
      const Rgba& pixel = image.at(x, static_cast<int>(y));
      *to++ = pixel.r;
      *to++ = pixel.g;
      *to++ = pixel.b;
    }
  };
  write_png_rows(out, image.width, image.height, row, texts, cancel);
}

}  // namespace headscope

#include "core/io/jpeg.h"

#include <fmt/format.h>

#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "core/base/error.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"

namespace headscope {
namespace {

constexpr std::uint64_t kMostPixels = 100'000'000;
// Every block of 64 pixels takes at least a bit of the first scan, so that a byte holds no more than 512 pixels of
// gray; this bounds what a tiny file can ask for.
constexpr std::uint64_t kMostPixelsPerByte = 4096;
constexpr int kMostScans = 500;  // a progressive picture may name any number, each as long as the picture is

// libjpeg leaves a function by longjmp when it finds an error: nothing inside returned_normally() has a destructor.
struct JpegReader {
  jpeg_error_mgr errors = {};  // first: libjpeg's pointer to it is one to this object
  std::jmp_buf back = {};
  jpeg_decompress_struct jpeg = {};
  std::array<char, JMSG_LENGTH_MAX> message = {};

  JpegReader() = default;
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
};

JpegReader& reader_of(j_common_ptr jpeg) {
  return *reinterpret_cast<JpegReader*>(jpeg->err);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
  JpegReader& reader = reader_of(jpeg);
  (*jpeg->err->format_message)(jpeg, reader.message.data());
  std::longjmp(reader.back, 1);
}

// A warning (level -1) says that pixels are made up: "premature end of file".
void on_message(j_common_ptr jpeg, int level) {
  if (level < 0) on_error(jpeg);
}

void on_output(j_common_ptr) {}

void on_progress(j_common_ptr jpeg) {
  JpegReader& reader = reader_of(jpeg);
  if (reader.jpeg.input_scan_number <= kMostScans) return;
  std::snprintf(reader.message.data(), reader.message.size(), "it has more than %d scans", kMostScans);
  std::longjmp(reader.back, 1);
}

template <typename Step>
bool returned_normally(JpegReader& reader, const Step& step) {
  if (setjmp(reader.back) != 0) return false;
  step();
  return true;
}

template <typename Step>
void guarded(JpegReader& reader, const std::string& what, const Step& step) {
  if (returned_normally(reader, step)) return;
  throw Error(fmt::format("{}: damaged JPEG: {}", what, reader.message.data()));
}

std::string found_text(std::span<const std::byte> bytes) {
  const std::string found = describe_bytes(bytes);
  return found.empty() ? "found bytes of another kind" : "found " + found;
}

void check_kind(const jpeg_decompress_struct& jpeg, std::size_t bytes, const std::string& what) {
  const std::uint64_t pixels = std::uint64_t{jpeg.image_width} * jpeg.image_height;
  if (pixels > kMostPixels) {
    throw Error(
        fmt::format("{}: {} x {} pixels; at most {} are read", what, jpeg.image_width, jpeg.image_height, kMostPixels));
  }
  if (pixels > bytes * kMostPixelsPerByte) {
    throw Error(fmt::format("{}: damaged JPEG: {} bytes cannot hold {} x {} pixels", what, bytes, jpeg.image_width,
                            jpeg.image_height));
  }
  const bool read =
      jpeg.jpeg_color_space == JCS_GRAYSCALE || jpeg.jpeg_color_space == JCS_YCbCr || jpeg.jpeg_color_space == JCS_RGB;
  if (!read) {
    throw Error(fmt::format("{}: a JPEG of {} colour components, as printers use them (CMYK); expected gray or RGB",
                            what, jpeg.num_components));
  }
}

}  // namespace

Image parse_jpeg(std::span<const std::byte> bytes, const std::string& what) {
  if (bytes.size() < 3 || bytes[0] != std::byte{0xFF} || bytes[1] != std::byte{0xD8} || bytes[2] != std::byte{0xFF}) {
    throw Error(fmt::format("{}: {}; expected a JPEG picture", what, found_text(bytes)));
  }
  JpegReader reader;
  reader.jpeg.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = on_error;
  reader.errors.emit_message = on_message;
  reader.errors.output_message = on_output;
  jpeg_progress_mgr progress = {};
  progress.progress_monitor = on_progress;
  JpegReader* const r = &reader;
  jpeg_progress_mgr* const p = &progress;
  guarded(reader, what, [r, p, bytes] {
    jpeg_create_decompress(&r->jpeg);
    r->jpeg.progress = p;
    jpeg_mem_src(&r->jpeg, reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&r->jpeg, TRUE);
  });
  check_kind(reader.jpeg, bytes.size(), what);
  guarded(reader, what, [r] {
    r->jpeg.out_color_space = JCS_RGB;
    r->jpeg.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&r->jpeg);
  });
  Image image(static_cast<int>(reader.jpeg.output_width), static_cast<int>(reader.jpeg.output_height));
  std::vector<JSAMPLE> row(std::size_t{reader.jpeg.output_width} * 3);
  Rgba* pixels = image.pixels.data();
  for (int y = 0; y < image.height; ++y) {
    JSAMPROW to = row.data();
    guarded(reader, what, [r, &to] { jpeg_read_scanlines(&r->jpeg, &to, 1); });
    for (std::size_t at = 0; at < row.size(); at += 3) *pixels++ = {row[at], row[at + 1], row[at + 2], 255};
  }
  guarded(reader, what, [r] { jpeg_finish_decompress(&r->jpeg); });
  return image;
}

Image read_jpeg(const std::string& path) {
  const auto file = MappedFile::open(path);
  Image image = parse_jpeg(file->bytes(), path);
  file->check_unchanged();
  return image;
}

Image read_picture(const std::string& path) {
  const auto file = MappedFile::open(path);
  const std::span<const std::byte> bytes = file->bytes();
  const bool jpeg = bytes.size() >= 2 && bytes[0] == std::byte{0xFF} && bytes[1] == std::byte{0xD8};
  const bool png = bytes.size() >= 4 && bytes[0] == std::byte{0x89} && bytes[1] == std::byte{'P'} &&
                   bytes[2] == std::byte{'N'} && bytes[3] == std::byte{'G'};
  if (!jpeg && !png) throw Error(fmt::format("{}: {}; expected a PNG or a JPEG picture", path, found_text(bytes)));
  Image image = jpeg ? parse_jpeg(bytes, path) : parse_png(bytes, path);
  file->check_unchanged();
  return image;
}

}  // namespace headscope

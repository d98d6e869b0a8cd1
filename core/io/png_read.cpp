#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"
#include "core/io/png_chunks.h"

namespace headscope {

namespace {

constexpr std::uint64_t kMostPixels = 100'000'000;

// As in png_write.cpp: nothing inside returned_normally() has a destructor, because libpng leaves it by longjmp.
struct Reader {
  std::span<const std::byte> rest;
  char message[200] = {};
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit Reader(std::span<const std::byte> bytes) : rest(bytes) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

void on_error(png_structp png, png_const_charp message) {
  auto* reader = static_cast<Reader*>(png_get_error_ptr(png));
  std::snprintf(reader->message, sizeof reader->message, "%s", message);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, std::size_t size) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (size > reader->rest.size()) png_error(png, "the file ends early");
  std::memcpy(to, reader->rest.data(), size);
  reader->rest = reader->rest.subspan(size);
}

template <typename Step>
bool returned_normally(png_structp png, const Step& step) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  step();
  return true;
}

template <typename Step>
void guarded(const Reader& reader, const std::string& what, const Step& step) {
  if (returned_normally(reader.png, step)) return;
  throw Error(fmt::format("{}: damaged PNG: {}", what, reader.message));
}

// Numbers a pixel, by colour type: gray, RGB, palette, gray and alpha, RGB and alpha.
std::uint64_t channels_of(int color_type) {
  switch (color_type) {
    case 2:
      return 3;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 1;
  }
}

// Asks whether the pixels may be allocated: few enough, and not more than deflate could have packed into the file (it
// never shrinks anything by more than 1032 to 1), so that a tiny file cannot ask for a huge picture.
void check_size(std::span<const std::byte> bytes, const std::string& what) {
  PngHeader header;
  std::uint64_t packed = 0;
  for_each_png_chunk(bytes, what, [&](const PngChunk& chunk) {
    if (chunk.type == "IHDR") header = png_header(chunk, what);
    if (chunk.type == "IDAT") packed += chunk.data.size();
  });
  const std::uint64_t pixels = std::uint64_t{header.width} * header.height;
  if (pixels > kMostPixels) {
    throw Error(fmt::format("{}: {} x {} pixels; at most {} are read", what, header.width, header.height, kMostPixels));
  }
  const std::uint64_t bits = channels_of(header.color_type) * static_cast<std::uint64_t>(header.bit_depth);
  const std::uint64_t unpacked = pixels / 8 * bits;  // a little less than the rows have
  if (unpacked > packed * 1032 + 1024) {
    throw Error(
        fmt::format("{}: damaged PNG: {} bytes cannot hold {} x {} pixels", what, packed, header.width, header.height));
  }
}

}  // namespace

Image parse_png(std::span<const std::byte> bytes, const std::string& what) {
  check_size(bytes, what);
  Reader reader(bytes);
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
  if (reader.png == nullptr) throw std::bad_alloc();
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) throw std::bad_alloc();
  Reader* const r = &reader;
  guarded(reader, what, [r] {
    png_set_read_fn(r->png, r, on_read);
    png_set_chunk_malloc_max(r->png, png_alloc_size_t{16} << 20);
    png_set_chunk_cache_max(r->png, 64);
    png_set_user_limits(r->png, 0x7FFFFFFF, 0x7FFFFFFF);
    // The texts and colour profiles do not matter for the pixels.
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(r->png, r->info);
    png_set_expand(r->png);
    png_set_strip_16(r->png);
    png_set_gray_to_rgb(r->png);
    png_set_add_alpha(r->png, 0xFF, PNG_FILLER_AFTER);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
  });
  static_assert(sizeof(Rgba) == 4 && alignof(Rgba) == 1);
  const auto width = png_get_image_width(reader.png, reader.info);
  const auto height = png_get_image_height(reader.png, reader.info);
  if (png_get_rowbytes(reader.png, reader.info) != std::size_t{width} * sizeof(Rgba)) {
    throw Error(fmt::format("{}: a PNG of a kind that is not read", what));
  }
  Image image(static_cast<int>(width), static_cast<int>(height));
  std::vector<png_bytep> rows(height);
  Rgba* pixels = image.pixels.data();
  for (png_bytep& row : rows) {
    row = reinterpret_cast<png_bytep>(pixels);
    pixels += width;
  }
  png_bytepp first_row = rows.data();
  guarded(reader, what, [r, first_row] {
    png_read_image(r->png, first_row);
    png_read_end(r->png, nullptr);
  });
  return image;
}

Image read_png(const std::string& path) {
  const auto file = MappedFile::open(path);
  Image image = parse_png(file->bytes(), path);
  file->check_unchanged();
  return image;
}

}  // namespace headscope

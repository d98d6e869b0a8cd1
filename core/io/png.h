// PNG pictures with their recipe inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <span>
#include <string>

#include "core/base/cancel.h"
#include "core/base/image.h"
#include "core/io/picture_rows.h"

namespace headscope {

// 8-bit RGB (RGBA, at once, where the picture has alpha), with pHYs where its resolution is known; row by row: the
// picture is drawn and compressed strip by strip by several threads, the same bytes whatever their number, and never
// held whole. `texts` become uncompressed iTXt chunks (keyword -> UTF-8), before the pixels. Keywords are 1 to 79 Latin
// letters, texts hold no NUL (asserted). `progress` gets the share done in [0, 1].
void write_png(std::ostream& out, const PictureRows& picture, const std::map<std::string, std::string>& texts,
               const CancelToken& cancel = {}, const std::function<void(double)>& progress = {});

// The same of pixels in memory.
void write_png(std::ostream& out, const Image& image, const std::map<std::string, std::string>& texts,
               const CancelToken& cancel = {});

// The text chunks alone (iTXt, tEXt), without decoding pixels; each at most 16 MB. Error when it is not a PNG.
struct PngInfo {
  std::uint32_t width = 0, height = 0;
  std::map<std::string, std::string> texts;
};
PngInfo read_png_info(const std::string& path);

// The same from bytes in memory; `what` names them in errors.
PngInfo parse_png_info(std::span<const std::byte> bytes, const std::string& what);

// The pixels, for tests and previews. At most 100 million of them.
Image read_png(const std::string& path);
Image parse_png(std::span<const std::byte> bytes, const std::string& what);

}  // namespace headscope

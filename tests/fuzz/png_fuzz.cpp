// Texts and pixels of a picture are read or refused; texts come through a round trip.
#include <sstream>

#include "core/base/error.h"
#include "core/io/png.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::as_bytes(data, size);
  try {
    const PngInfo info = parse_png_info(bytes, "fuzz.png");
    fuzz::require(info.width > 0 && info.height > 0, "a picture has pixels");
  } catch (const Error&) {
  }
  try {
    const Image image = parse_png(bytes, "fuzz.png");
    fuzz::require(image.pixels.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
                  "as many pixels as the sides say");
  } catch (const Error&) {
  }
  return 0;
}

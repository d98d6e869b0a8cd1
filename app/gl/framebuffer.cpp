#include "app/gl/framebuffer.h"

#include <epoxy/gl.h>

#include <algorithm>

#include "app/gl/driver_call.h"

namespace headscope {

void clear_framebuffer(int width, int height, Rgba color) {
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(static_cast<float>(color.r) / 255, static_cast<float>(color.g) / 255, static_cast<float>(color.b) / 255,
               1);
  in_driver([] { glClear(GL_COLOR_BUFFER_BIT); });
}

Image read_framebuffer(int width, int height) {
  Image bottom_first(width, height), image(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  Rgba* const pixels = bottom_first.pixels.data();
  in_driver([&] { glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels); });
  for (int y = 0; y < height; ++y) {
    const auto row = bottom_first.pixels.begin() + static_cast<std::ptrdiff_t>(height - 1 - y) * width;
    std::copy(row, row + width, image.pixels.begin() + static_cast<std::ptrdiff_t>(y) * width);
  }
  for (Rgba& pixel : image.pixels) pixel.a = 255;
  return image;
}

}  // namespace headscope

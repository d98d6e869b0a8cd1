// Pixels in memory.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  friend bool operator==(const Rgba&, const Rgba&) = default;
};

// Row-major, top row first, straight alpha.
struct Image {
  int width = 0, height = 0;
  std::vector<Rgba> pixels;
  Image() = default;
  Image(int w, int h, Rgba fill = {})
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), fill) {}
  Rgba& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
  const Rgba& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
};

}  // namespace headscope

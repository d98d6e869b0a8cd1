// The patches of an image.
#pragma once

#include <cstdint>

namespace headscope {

// Patches of an image in rows and columns, which a model reads as tokens.
struct ImageGrid {
  std::int64_t rows = 0, columns = 0;
  std::int64_t patches() const { return rows * columns; }
  friend bool operator==(const ImageGrid&, const ImageGrid&) = default;
};

}  // namespace headscope

// The patches of an image.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace headscope {

// Patches of an image in rows and columns, which a model reads as tokens.
struct ImageGrid {
  std::int64_t rows = 0, columns = 0;
  std::int64_t patches() const { return rows * columns; }
  friend bool operator==(const ImageGrid&, const ImageGrid&) = default;
};

// Of an image's tokens as Inputs::words has them, [leading + patches]: the class token and registers before the patches
// are special, -1, and each patch is a word of its own.
inline std::vector<std::int64_t> words_of_patches(std::int64_t leading, const ImageGrid& grid) {
  std::vector<std::int64_t> words(static_cast<std::size_t>(leading + grid.patches()), -1);
  std::iota(words.begin() + leading, words.end(), std::int64_t{0});
  return words;
}

}  // namespace headscope

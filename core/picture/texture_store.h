// How the panels get textures: they describe a heatmap and get an id that ImGui can draw. Knows no graphics API.
#pragma once

#include <cstdint>

#include "core/picture/heatmap.h"

namespace headscope {

using TextureId = std::uint64_t;  // passed to ImGui's image call; 0: nothing to draw

class TextureStore {
 public:
  virtual ~TextureStore() = default;
  // The texture with this heatmap, spec.width x spec.height pixels, drawn now if no equal spec was drawn lately.
  // Changing range, map or the visible part costs no upload of values. Valid until the end of the frame.
  virtual TextureId heatmap(const HeatmapSpec& spec) = 0;
  // Any picture, cached by `key`; `version` changes when the pixels do.
  virtual TextureId image(std::uint64_t key, std::uint64_t version, const Image& pixels) = 0;
};

}  // namespace headscope

// Leaves the GL state as it was found, so that heatmaps can be drawn in the middle of anybody's frame.
#pragma once

#include <array>

namespace headscope {

class GlStateGuard {
 public:
  // Saves what drawing a heatmap touches, and sets what it needs: no blending, no tests, all channels written.
  GlStateGuard();
  ~GlStateGuard();
  GlStateGuard(const GlStateGuard&) = delete;
  GlStateGuard& operator=(const GlStateGuard&) = delete;

  static constexpr int kTextureUnits = 5;

 private:
  int draw_framebuffer_ = 0, read_framebuffer_ = 0, program_ = 0, vertex_array_ = 0, active_texture_ = 0;
  std::array<int, 4> viewport_{};
  std::array<int, kTextureUnits> textures_{};
  std::array<unsigned char, 6> enabled_{};
  std::array<unsigned char, 4> color_mask_{};
};

}  // namespace headscope

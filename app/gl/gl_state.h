// Saves and restores the GL state, so that heatmaps can be drawn while Dear ImGui or other code builds its frame.
#pragma once

#include <array>

namespace headscope {

class GlStateGuard {
 public:
  // Saves the state that drawing a heatmap changes, and sets what it needs: no blending, no tests, all channels
  // written.
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

// shaders/heatmap.frag at work: one spec into the texture that is bound for drawing.
#pragma once

#include <array>

#include "app/gl/heatmap_inputs.h"
#include "app/gl/program.h"

namespace headscope {

class HeatmapProgram {
 public:
  // Throws Error with the shader's log when the driver refuses it.
  HeatmapProgram();
  ~HeatmapProgram();
  HeatmapProgram(const HeatmapProgram&) = delete;
  HeatmapProgram& operator=(const HeatmapProgram&) = delete;

  // Fills `target` (spec.width x spec.height). Changes GL state: see GlStateGuard.
  void draw(const HeatmapSpec& spec, const HeatmapInputs& inputs, const GlTexture& target) const;

 private:
  void set(const char* uniform, int a) const;
  void set(const char* uniform, int a, int b) const;
  void set(const char* uniform, float a) const;
  void set(const char* uniform, float a, float b) const;
  void set(const char* uniform, Rgba color) const;
  void bind(int unit, const char* uniform, const GlTexture* texture) const;

  GlProgram program_;
  GlTexture nothing_;  // stands in for inputs that a spec does not have
  GlTexture nothing_hidden_;
  unsigned vertex_array_ = 0, framebuffer_ = 0;
};

}  // namespace headscope

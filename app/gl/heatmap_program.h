// Runs shaders/heatmap.frag: draws one spec into one texture.
#pragma once

#include <memory>

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
  void draw(const HeatmapSpec& spec, const HeatmapInputs& inputs, const GlTexture& target);

 private:
  GlProgram shared_linear_;               // one linear scale for all rows: nearly every heatmap
  std::unique_ptr<GlProgram> by_tables_;  // ranges of rows and logarithms; made when first needed
  GlTexture nothing_, nothing_hidden_;    // bound for inputs that a spec does not have
  unsigned vertex_array_ = 0, framebuffer_ = 0;
};

}  // namespace headscope

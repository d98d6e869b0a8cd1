#include "app/gl/heatmap_program.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>

#include "core/assert.h"

namespace headscope {
namespace {

int rounded(double value) {
  return static_cast<int>(std::floor(value + 0.5));
}

}  // namespace

HeatmapProgram::HeatmapProgram()
    : program_("heatmap.vert", "heatmap.frag"),
      nothing_(TexelFormat::r32_float, 1, 1, std::array<float, 1>{}.data()),
      nothing_hidden_(TexelFormat::r8_integer, 1, 1, std::array<std::uint8_t, 4>{}.data()) {
  glGenVertexArrays(1, &vertex_array_);
  glGenFramebuffers(1, &framebuffer_);
}

HeatmapProgram::~HeatmapProgram() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteVertexArrays(1, &vertex_array_);
}

void HeatmapProgram::set(const char* uniform, int a) const {
  glUniform1i(program_.uniform(uniform), a);
}
void HeatmapProgram::set(const char* uniform, int a, int b) const {
  glUniform2i(program_.uniform(uniform), a, b);
}
void HeatmapProgram::set(const char* uniform, float a) const {
  glUniform1f(program_.uniform(uniform), a);
}
void HeatmapProgram::set(const char* uniform, float a, float b) const {
  glUniform2f(program_.uniform(uniform), a, b);
}
void HeatmapProgram::set(const char* uniform, Rgba color) const {
  glUniform3f(program_.uniform(uniform), static_cast<float>(color.r) / 255, static_cast<float>(color.g) / 255,
              static_cast<float>(color.b) / 255);
}

void HeatmapProgram::bind(int unit, const char* uniform, const GlTexture* texture) const {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture != nullptr ? texture->name() : nothing_.name());
  set(uniform, unit);
}

void HeatmapProgram::draw(const HeatmapSpec& spec, const HeatmapInputs& inputs, const GlTexture& target) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target.name(), 0);
  glViewport(0, 0, spec.width, spec.height);
  glUseProgram(program_.name());
  glBindVertexArray(vertex_array_);
  bind(0, "values", inputs.values.get());
  bind(1, "hidden", inputs.hidden != nullptr ? inputs.hidden.get() : &nothing_hidden_);
  bind(2, "color_table", inputs.colors.get());
  bind(3, "row_scales", inputs.row_scales.get());
  bind(4, "thresholds", inputs.thresholds.get());
  set("has_hidden", inputs.hidden != nullptr ? 1 : 0);
  set("per_row", spec.range.per_row ? 1 : 0);
  set("is_log", spec.range.log_scale ? 1 : 0);
  const ValueScale scale = value_scale(spec.range);
  glUniform3f(program_.uniform("shared_scale"), scale.low, scale.scale, scale.offset);

  const AxisWindow columns = axis_window(spec.column0, spec.columns, spec.width);
  const AxisWindow rows = axis_window(spec.row0, spec.rows, spec.height);
  set("cells", static_cast<int>(spec.matrix.dim(1)), static_cast<int>(spec.matrix.dim(0)));
  set("first", static_cast<int>(columns.first), static_cast<int>(rows.first));
  set("offset", columns.offset, rows.offset);
  set("step_cells", columns.step, rows.step);
  const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
  const double cell = std::min(cell_width, cell_height);
  set("cell_shape", static_cast<float>(cell_width / cell), static_cast<float>(cell_height / cell));
  set("cell_side", static_cast<float>(cell));
  set("scale", static_cast<float>(spec.pixel_scale));
  const bool marked = cell >= 8 * spec.pixel_scale;
  set("with_hatch", marked ? 1 : 0);
  set("with_marks", marked ? 1 : 0);
  set("with_grid", spec.grid && cell >= 12 * spec.pixel_scale ? 1 : 0);
  // GLSL leaves % of negative numbers open, so the shader gets the remainder.
  const std::int64_t spacing = std::max(2, rounded(5 * spec.pixel_scale));
  const std::int64_t along = (std::int64_t{spec.hatch_x} + spec.hatch_y) % spacing;
  set("hatch_shift", static_cast<int>(along < 0 ? along + spacing : along));
  set("hatch_spacing", static_cast<int>(spacing));
  set("line", std::max(1, rounded(spec.pixel_scale)));
  const Palette& colors = palette(spec.theme);
  set("well_color", colors.well);
  set("hatch_color", colors.hatch);
  set("grid_color", colors.panel);
  set("nan_color", kNanColor);
  glDrawArrays(GL_TRIANGLES, 0, 3);
#ifndef NDEBUG
  const GLenum error = glGetError();
  HEADSCOPE_ASSERT(error == GL_NO_ERROR, "GL error " + std::to_string(error) + " while drawing a heatmap");
#endif
}

}  // namespace headscope

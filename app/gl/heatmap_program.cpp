#include "app/gl/heatmap_program.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gl/driver_call.h"
#include "app/gl/lost_context.h"
#include "core/base/assert.h"

namespace headscope {
namespace {

int rounded(double value) {
  return static_cast<int>(std::floor(value + 0.5));
}

// Sets the uniforms of one program, which is in use.
class Uniforms {
 public:
  explicit Uniforms(const GlProgram& program) : program_(program) {}
  void set(const char* name, int a) const { glUniform1i(program_.uniform(name), a); }
  void set(const char* name, int a, int b) const { glUniform2i(program_.uniform(name), a, b); }
  void set(const char* name, float a) const { glUniform1f(program_.uniform(name), a); }
  void set(const char* name, float a, float b) const { glUniform2f(program_.uniform(name), a, b); }
  void set(const char* name, float a, float b, float c) const { glUniform3f(program_.uniform(name), a, b, c); }
  void set(const char* name, Rgba color) const {
    set(name, static_cast<float>(color.r) / 255, static_cast<float>(color.g) / 255, static_cast<float>(color.b) / 255);
  }
  void bind(const char* name, int unit, const GlTexture& texture) const {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D, texture.name());
    set(name, unit);
  }

 private:
  const GlProgram& program_;
};

void set_cells(const Uniforms& uniforms, const HeatmapSpec& spec) {
  const AxisWindow columns = axis_window(spec.column0, spec.columns, spec.width);
  const AxisWindow rows = axis_window(spec.row0, spec.rows, spec.height);
  uniforms.set("cells", static_cast<int>(spec.matrix.dim(1)), static_cast<int>(spec.matrix.dim(0)));
  uniforms.set("first", static_cast<int>(columns.first), static_cast<int>(rows.first));
  uniforms.set("offset", columns.offset, rows.offset);
  uniforms.set("step_cells", columns.step, rows.step);
  const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
  const double cell = std::min(cell_width, cell_height);
  uniforms.set("cell_shape", static_cast<float>(cell_width / cell), static_cast<float>(cell_height / cell));
  uniforms.set("cell_side", static_cast<float>(cell));
  const bool marked = cell >= 8 * spec.pixel_scale;
  uniforms.set("with_hatch", marked ? 1 : 0);
  uniforms.set("with_marks", marked ? 1 : 0);
  uniforms.set("with_grid", spec.grid && cell >= 12 * spec.pixel_scale ? 1 : 0);
}

void set_style(const Uniforms& uniforms, const HeatmapSpec& spec) {
  uniforms.set("scale", static_cast<float>(spec.pixel_scale));
  uniforms.set("line", std::max(1, rounded(spec.pixel_scale)));
  // GLSL leaves % of negative numbers open, so the shader gets the remainder.
  const std::int64_t spacing = std::max(2, rounded(5 * spec.pixel_scale));
  const std::int64_t along = (std::int64_t{spec.hatch_x} + spec.hatch_y) % spacing;
  uniforms.set("hatch_shift", static_cast<int>(along < 0 ? along + spacing : along));
  uniforms.set("hatch_spacing", static_cast<int>(spacing));
  const Palette& colors = palette(spec.theme);
  uniforms.set("well_color", colors.well);
  uniforms.set("hatch_color", colors.hatch);
  uniforms.set("grid_color", colors.panel);
  uniforms.set("nan_color", kNanColor);
}

}  // namespace

HeatmapProgram::HeatmapProgram()
    : shared_linear_("heatmap.vert", "heatmap.frag"),
      nothing_(TexelFormat::r32_float, 1, 1, std::array<float, 1>{}.data()),
      nothing_hidden_(TexelFormat::r8_integer, 1, 1, std::array<std::uint8_t, 4>{}.data()) {
  glGenVertexArrays(1, &vertex_array_);
  glGenFramebuffers(1, &framebuffer_);
}

HeatmapProgram::~HeatmapProgram() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteVertexArrays(1, &vertex_array_);
}

void HeatmapProgram::draw(const HeatmapSpec& spec, const HeatmapInputs& inputs, const GlTexture& target) {
  const bool by_tables = spec.range.per_row || spec.range.log_scale;
  if (by_tables && by_tables_ == nullptr) {
    by_tables_ = std::make_unique<GlProgram>("heatmap.vert", "heatmap.frag", "SCALE_TABLES");
  }
  const GlProgram& program = by_tables ? *by_tables_ : shared_linear_;
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target.name(), 0);
  glViewport(0, 0, spec.width, spec.height);
  glUseProgram(program.name());
  glBindVertexArray(vertex_array_);

  const Uniforms uniforms(program);
  uniforms.bind("values", 0, *inputs.values);
  uniforms.bind("hidden", 1, inputs.hidden != nullptr ? *inputs.hidden : nothing_hidden_);
  uniforms.set("has_hidden", inputs.hidden != nullptr ? 1 : 0);
  uniforms.bind("color_table", 2, *inputs.colors);
  const ValueScale scale = value_scale(spec.range);
  uniforms.set("shared_scale", scale.low, scale.scale, scale.offset);
  if (by_tables) {
    uniforms.set("per_row", spec.range.per_row ? 1 : 0);
    uniforms.set("is_log", spec.range.log_scale ? 1 : 0);
    uniforms.bind("row_scales", 3, inputs.row_scales != nullptr ? *inputs.row_scales : nothing_);
    uniforms.bind("thresholds", 4, inputs.thresholds != nullptr ? *inputs.thresholds : nothing_);
  }
  set_cells(uniforms, spec);
  set_style(uniforms, spec);
  in_driver([] { glDrawArrays(GL_TRIANGLES, 0, 3); });
#ifndef NDEBUG
  const GLenum error = next_gl_error();
  HEADSCOPE_ASSERT(error == GL_NO_ERROR, "GL error " + std::to_string(error) + " while drawing a heatmap");
#endif
}

}  // namespace headscope

#include "app/gl/pixel_kernels.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>

#include "app/gl/driver_call.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kThreads = 64;  // of pool_cells.comp
constexpr std::int64_t kSide = 8;      // of a work group of the shaders that go pixel by pixel

GLuint narrow(std::int64_t value) {
  return static_cast<GLuint>(value);
}

void dispatch(GLuint x, GLuint y) {
  in_driver([&] { glDispatchCompute(x, y, 1); });
}

GLuint groups_of(std::int64_t size, std::int64_t per_group) {
  return narrow(parts_over(size, per_group));
}

// Textures may be deleted by the other context of the share: none stays bound.
void unbind_textures() {
  for (const GLenum unit : {GL_TEXTURE0, GL_TEXTURE1}) {
    glActiveTexture(unit);
    glBindTexture(GL_TEXTURE_2D, 0);
  }
}

void set_pair(const GlProgram& program, const char* name, std::int64_t columns, std::int64_t rows) {
  glUniform2ui(program.uniform(name), narrow(columns), narrow(rows));
}

}  // namespace

PixelKernels::PixelKernels()
    : pool_max_(ComputeShader{"pool_cells.comp", ""}),
      pool_mean_(ComputeShader{"pool_cells.comp", "MEAN"}),
      place_pixels_(ComputeShader{"place_pixels.comp", ""}),
      pool_pixels_(ComputeShader{"pool_pixels.comp", ""}),
      row_extents_(ComputeShader{"row_extents.comp", ""}),
      nothing_(TexelFormat::r32_float, 1, 1, std::array<float, 1>{}.data()),
      nothing_hidden_(TexelFormat::r8_integer, 1, 1, std::array<std::uint8_t, 4>{}.data()) {}

PixelKernels::~PixelKernels() = default;

void PixelKernels::pool_cells(const PoolSizes& size, Pooling pooling, const ComputeBuffer& cells,
                              const ComputeMask& mask, const ComputeBuffer& values, const ComputeBuffer& counts) const {
  const GlProgram& program = pooling == Pooling::max ? pool_max_ : pool_mean_;
  glUseProgram(program.name());
  cells.bind(0);
  values.bind(1);
  counts.bind(2);
  mask.set(program, size.hides);
  glUniform1ui(program.uniform("rows"), narrow(size.rows));
  glUniform1ui(program.uniform("columns"), narrow(size.columns));
  glUniform1ui(program.uniform("first_key"), narrow(size.first_key));
  set_pair(program, "block", size.block.columns, size.block.rows);
  set_pair(program, "first_pixel", size.first_column, size.first_row);
  glUniform1ui(program.uniform("row_pixels"), narrow(size.row_pixels));
  const std::int64_t group_columns = std::max<std::int64_t>(1, kThreads / size.block.columns) * size.block.columns;
  dispatch(groups_of(size.columns, group_columns), groups_of(size.rows, size.block.rows));
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  check_gl("pooling cells");
}

void PixelKernels::place_pixels(const Placement& place, const ComputeBuffer& part_values,
                                const ComputeBuffer& part_counts, const ComputeBuffer& values,
                                const ComputeBuffer& counts) const {
  const GlProgram& program = place_pixels_;
  glUseProgram(program.name());
  part_values.bind(0);
  part_counts.bind(1);
  values.bind(2);
  counts.bind(3);
  set_pair(program, "part_size", place.columns, place.rows);
  set_pair(program, "canvas_size", place.canvas_columns, place.canvas_rows);
  glUniform2i(program.uniform("place"), static_cast<GLint>(place.column), static_cast<GLint>(place.row));
  glUniform1ui(program.uniform("covered_rows"), narrow(place.covered_rows));
  dispatch(groups_of(place.columns, kSide), groups_of(place.covered_rows, kSide));
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  check_gl("placing pixels");
}

void PixelKernels::bind(int unit, const GlProgram& program, const char* name, const GlTexture& texture) const {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture.name());
  glUniform1i(program.uniform(name), unit);
}

void PixelKernels::pool_pixels(const PictureSizes& size, Pooling pooling, const ComputeBuffer& values,
                               const ComputeBuffer& counts, const Picture& below, const Picture& picture) const {
  const GlProgram& program = pool_pixels_;
  glUseProgram(program.name());
  values.bind(0);
  counts.bind(1);
  glBindImageTexture(0, picture.values->name(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
  glBindImageTexture(1, picture.hidden->name(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R8UI);
  bind(0, program, "below_values", below.values != nullptr ? *below.values : nothing_);
  bind(1, program, "below_hidden", below.hidden != nullptr ? *below.hidden : nothing_hidden_);
  set_pair(program, "canvas_size", size.canvas_columns, size.canvas_rows);
  set_pair(program, "picture_size", picture.values->width(), picture.values->height());
  glUniform1ui(program.uniform("made_rows"), groups_of(size.canvas_rows, size.by.rows));
  set_pair(program, "by", size.by.columns, size.by.rows);
  glUniform1i(program.uniform("mean"), pooling == Pooling::mean ? 1 : 0);
  dispatch(groups_of(picture.values->width(), kSide), groups_of(picture.values->height(), kSide));
  glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT);
  unbind_textures();
  check_gl("making a picture");
}

void PixelKernels::row_extents(const GlTexture& values, const GlTexture& hidden, const ComputeBuffer& extents) const {
  const GlProgram& program = row_extents_;
  glUseProgram(program.name());
  extents.bind(0);
  bind(0, program, "values", values);
  bind(1, program, "hidden", hidden);
  glUniform1ui(program.uniform("columns"), narrow(values.width()));
  dispatch(narrow(values.height()), 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  unbind_textures();
  check_gl("looking for the ends of rows");
}

}  // namespace headscope

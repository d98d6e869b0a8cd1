#include "app/gl/gl_state.h"

#include <epoxy/gl.h>

namespace headscope {
namespace {

constexpr std::array<GLenum, 6> kSwitches{GL_BLEND,        GL_CULL_FACE,    GL_DEPTH_TEST,
                                          GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_FRAMEBUFFER_SRGB};

GLenum unit(std::size_t i) {
  return GL_TEXTURE0 + static_cast<GLenum>(i);
}

}  // namespace

GlStateGuard::GlStateGuard() {
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_framebuffer_);
  glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_framebuffer_);
  glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertex_array_);
  glGetIntegerv(GL_ACTIVE_TEXTURE, &active_texture_);
  glGetIntegerv(GL_VIEWPORT, viewport_.data());
  glGetBooleanv(GL_COLOR_WRITEMASK, color_mask_.data());
  for (std::size_t i = 0; i < textures_.size(); ++i) {
    glActiveTexture(unit(i));
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &textures_[i]);
  }
  for (std::size_t i = 0; i < kSwitches.size(); ++i) {
    enabled_[i] = glIsEnabled(kSwitches[i]);
    glDisable(kSwitches[i]);
  }
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

GlStateGuard::~GlStateGuard() {
  for (std::size_t i = 0; i < kSwitches.size(); ++i) {
    if (enabled_[i] != GL_FALSE) glEnable(kSwitches[i]);
  }
  for (std::size_t i = 0; i < textures_.size(); ++i) {
    glActiveTexture(unit(i));
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(textures_[i]));
  }
  glColorMask(color_mask_[0], color_mask_[1], color_mask_[2], color_mask_[3]);
  glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  glActiveTexture(static_cast<GLenum>(active_texture_));
  glBindVertexArray(static_cast<GLuint>(vertex_array_));
  glUseProgram(static_cast<GLuint>(program_));
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
}

}  // namespace headscope

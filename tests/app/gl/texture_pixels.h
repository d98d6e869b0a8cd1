// The pixels of a texture that a store has drawn or uploaded.
#pragma once

#include <epoxy/gl.h>
#include <gtest/gtest.h>

#include "app/gl/gl_state.h"
#include "core/picture/texture_store.h"

namespace headscope {

inline Image read_back(TextureId id) {
  const GLuint name = static_cast<GLuint>(id);
  EXPECT_EQ(glIsTexture(name), GL_TRUE) << "there is no texture " << id;
  const GlStateGuard guard;
  glBindTexture(GL_TEXTURE_2D, name);
  GLint width = 0, height = 0;
  glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
  glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &height);
  Image image(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  return image;
}

}  // namespace headscope

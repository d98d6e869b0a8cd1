#include "app/gl/texture.h"

#include <epoxy/gl.h>

#include <string>
#include <utility>

#include "app/gl/driver_call.h"
#include "app/gl/lost_context.h"
#include "core/base/error.h"

namespace headscope {
namespace {

struct GlFormat {
  GLint internal;
  GLenum layout, type;
  int bytes;
};

GlFormat gl_format(TexelFormat format) {
  switch (format) {
    case TexelFormat::rgba8:
      return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4};
    case TexelFormat::r8_integer:
      return {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1};
    case TexelFormat::r32_float:
      return {GL_R32F, GL_RED, GL_FLOAT, 4};
    case TexelFormat::rgba32_float:
      return {GL_RGBA32F, GL_RGBA, GL_FLOAT, 16};
  }
  return {};
}

// Binds for a while; the binding that Dear ImGui or a caller had comes back.
class Bound {
 public:
  explicit Bound(GLuint name) {
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &before_);
    glBindTexture(GL_TEXTURE_2D, name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  }
  ~Bound() {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before_));
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  GLint before_ = 0;
};

}  // namespace

GlTexture::GlTexture(TexelFormat format, int width, int height, const void* pixels, std::int64_t row_length,
                     bool smooth)
    : format_(format), width_(width), height_(height), smooth_(smooth) {
  forget_gl_errors();
  glGenTextures(1, &name_);
  const Bound bound(name_);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(row_length));
  const GlFormat gl = gl_format(format);
  in_driver([&] { glTexImage2D(GL_TEXTURE_2D, 0, gl.internal, width, height, 0, gl.layout, gl.type, pixels); });
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, smooth ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  if (smooth) {
    in_driver([] { glGenerateMipmap(GL_TEXTURE_2D); });
  } else {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  }
  if (const GLenum error = next_gl_error(); error != GL_NO_ERROR) {
    glDeleteTextures(1, &name_);
    throw Error("The graphics driver refused a texture of " + std::to_string(width) + " x " + std::to_string(height) +
                " (GL error " + std::to_string(error) + "): close other programs or look at a smaller matrix.");
  }
}

GlTexture::~GlTexture() {
  if (name_ != 0) glDeleteTextures(1, &name_);
}

unsigned GlTexture::release() {
  return std::exchange(name_, 0);
}

void GlTexture::write(const void* pixels) {
  const Bound bound(name_);
  const GlFormat gl = gl_format(format_);
  in_driver([&] {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width_, height_, gl.layout, gl.type, pixels);
    if (smooth_) glGenerateMipmap(GL_TEXTURE_2D);
  });
}

std::int64_t GlTexture::bytes() const {
  return static_cast<std::int64_t>(width_) * height_ * gl_format(format_).bytes;
}

int largest_texture() {
  GLint size = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
  return size;
}

}  // namespace headscope

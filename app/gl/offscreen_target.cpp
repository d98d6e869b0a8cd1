// All of offscreen.h that needs no EGL: what is drawn on, and what the driver is called.
#include <epoxy/gl.h>

#include "app/gl/offscreen.h"
#include "core/base/error.h"

namespace headscope {

namespace {

class FramebufferTarget : public OffscreenTarget {
 public:
  FramebufferTarget(int width, int height) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (width < 1 || height < 1 || width > limit || height > limit) {
      throw Error("A picture of " + std::to_string(width) + " x " + std::to_string(height) +
                  " pixels cannot be drawn: this driver allows 1 to " + std::to_string(limit) + " on a side.");
    }
    glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
      release();
      throw Error("The graphics driver refused a framebuffer of " + std::to_string(width) + " x " +
                  std::to_string(height) + " pixels.");
    }
    glViewport(0, 0, width, height);
  }
  ~FramebufferTarget() override { release(); }
  FramebufferTarget(const FramebufferTarget&) = delete;
  FramebufferTarget& operator=(const FramebufferTarget&) = delete;

 private:
  void release() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &texture_);
  }
  GLuint framebuffer_ = 0, texture_ = 0;
};

}  // namespace

std::string renderer_name() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name != nullptr ? name : "";
}

bool is_software_renderer(const std::string& renderer) {
  for (const char* driver : {"llvmpipe", "softpipe", "SwiftShader", "swrast", "Software Rasterizer"}) {
    if (renderer.find(driver) != std::string::npos) return true;
  }
  return false;
}

std::unique_ptr<OffscreenTarget> make_offscreen_target(int width, int height) {
  return std::make_unique<FramebufferTarget>(width, height);
}

}  // namespace headscope

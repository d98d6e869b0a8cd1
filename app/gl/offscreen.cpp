#include "app/gl/offscreen.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace headscope {
namespace {

class EglContext : public OffscreenContext {
 public:
  EglContext(EGLDisplay display, EGLContext context) : display_(display), context_(context) {}
  ~EglContext() override {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
    eglTerminate(display_);
  }
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

 private:
  EGLDisplay display_;
  EGLContext context_;
};

EGLDisplay surfaceless_display() {
  if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) return EGL_NO_DISPLAY;
  return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
}

EGLDisplay device_display() {
  if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device")) return EGL_NO_DISPLAY;
  std::array<EGLDeviceEXT, 8> devices{};
  EGLint count = 0;
  if (!eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count)) return EGL_NO_DISPLAY;
  for (EGLint i = 0; i < count; ++i) {
    const EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr);
    if (display != EGL_NO_DISPLAY) return display;
  }
  return EGL_NO_DISPLAY;
}

// Null when this display cannot give a context that draws without a surface.
std::unique_ptr<OffscreenContext> context_on(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) return nullptr;
  const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint configs = 0;
  eglChooseConfig(display, wanted.data(), &config, 1, &configs);
  const std::array<std::pair<EGLint, EGLint>, 3> versions{{{4, 5}, {4, 3}, {3, 3}}};
  if (eglBindAPI(EGL_OPENGL_API)) {
    for (const auto& [major, minor] : versions) {
      const std::array<EGLint, 7> attributes{EGL_CONTEXT_MAJOR_VERSION,
                                             major,
                                             EGL_CONTEXT_MINOR_VERSION,
                                             minor,
                                             EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                             EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                             EGL_NONE};
      const EGLContext context =
          eglCreateContext(display, configs > 0 ? config : EGLConfig{}, EGL_NO_CONTEXT, attributes.data());
      if (context == EGL_NO_CONTEXT) continue;
      if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        return std::make_unique<EglContext>(display, context);
      }
      eglDestroyContext(display, context);
    }
  }
  eglTerminate(display);
  return nullptr;
}

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

std::unique_ptr<OffscreenContext> make_offscreen_context() {
  // libepoxy ends the program when the library is missing.
  if (dlopen("libEGL.so.1", RTLD_LAZY) == nullptr) {
    throw Error(
        "libEGL.so.1 is missing, so nothing can be drawn without a window. Install libegl1, or use headscope-cli.");
  }
  if (auto context = context_on(surfaceless_display())) return context;
  if (auto context = context_on(device_display())) return context;
  throw Error(
      "EGL gives no OpenGL 3.3 context without a window. Install Mesa's drivers (libegl-mesa0, libgl1-mesa-dri) "
      "or use headscope-cli, which needs none.");
}

std::unique_ptr<OffscreenTarget> make_offscreen_target(int width, int height) {
  return std::make_unique<FramebufferTarget>(width, height);
}

}  // namespace headscope

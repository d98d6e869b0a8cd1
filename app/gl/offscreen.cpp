#include "app/gl/offscreen.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/memory_failures.h"

namespace headscope {
namespace {

// The display is left as it is: EGL has one for all contexts of the program, and ending it would end theirs.
class EglContext : public OffscreenContext {
 public:
  EglContext(EGLDisplay display, EGLContext context, std::shared_ptr<TextureShare> share = nullptr)
      : display_(display), context_(context), share_(std::move(share)) {}
  ~EglContext() override {
    // A driver that found no memory may still hold its locks, and would wait for them here: the system ends it.
    if (failed_allocations() > 0) return;
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
  }
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  bool make_current() const { return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE; }
  std::shared_ptr<TextureShare> share() const override { return share_; }
  EGLDisplay display() const { return display_; }
  EGLContext context() const { return context_; }

 private:
  EGLDisplay display_;
  EGLContext context_;
  std::shared_ptr<TextureShare> share_;
};

// Without any window system first, then every device by itself.
std::vector<EGLDisplay> displays() {
  std::vector<EGLDisplay> result;
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
    result.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  }
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device")) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (!eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count)) count = 0;
    for (EGLint i = 0; i < count; ++i) {
      result.push_back(
          eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr));
    }
  }
  std::erase(result, EGL_NO_DISPLAY);
  return result;
}

EGLConfig config_of(EGLDisplay display) {
  const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint configs = 0;
  eglChooseConfig(display, wanted.data(), &config, 1, &configs);
  return configs > 0 ? config : EGLConfig{};
}

std::vector<EGLint> attributes_of(const std::pair<EGLint, EGLint>& version) {
  return {EGL_CONTEXT_MAJOR_VERSION,       version.first,
          EGL_CONTEXT_MINOR_VERSION,       version.second,
          EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT};
}

// Null when this display cannot give a context that works without a surface.
std::unique_ptr<EglContext> context_on(EGLDisplay display, const ContextQuery& query) {
  if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API)) return nullptr;
  const EGLConfig config = config_of(display);
  const std::array<std::pair<EGLint, EGLint>, 3> versions{{{4, 5}, {4, 3}, {3, 3}}};
  for (const std::pair<EGLint, EGLint>& version : versions) {
    if (version < std::pair<EGLint, EGLint>(query.major, query.minor)) break;
    for (const bool tells_losses : {true, false}) {
      if (tells_losses && !query.computes) continue;
      std::vector<EGLint> attributes = attributes_of(version);
      if (tells_losses) {
        attributes.push_back(EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY);
        attributes.push_back(EGL_LOSE_CONTEXT_ON_RESET);
      }
      attributes.push_back(EGL_NONE);
      const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes.data());
      if (context == EGL_NO_CONTEXT) continue;
      auto made = std::make_unique<EglContext>(display, context);
      if (made->make_current()) return made;
    }
  }
  return nullptr;
}

// It stays open: what libepoxy found in it is used as long as the program runs.
bool can_open(const char* library) {
  return dlopen(library, RTLD_LAZY) != nullptr;
}

}  // namespace

std::unique_ptr<OffscreenContext> make_offscreen_context(const ContextQuery& query) {
  // libepoxy ends the program when a library is missing.
  if (!can_open("libEGL.so.1") || !(can_open("libOpenGL.so.0") || can_open("libGL.so.1"))) {
    throw Error(
        "libEGL.so.1 or libGL.so.1 is missing, so that OpenGL cannot be used without a window. Install libegl1 and "
        "libgl1.");
  }
  std::unique_ptr<EglContext> software;
  for (const EGLDisplay display : displays()) {
    auto context = context_on(display, query);
    if (context == nullptr) continue;
    if (!query.computes || !is_software_renderer(renderer_name())) return context;
    if (software == nullptr) software = std::move(context);
  }
  if (software != nullptr && software->make_current()) return software;
  throw Error("EGL gives no OpenGL " + std::to_string(query.major) + "." + std::to_string(query.minor) +
              " context without a window. Install the graphics card's driver, or Mesa's (libegl-mesa0, "
              "libgl1-mesa-dri).");
}

std::unique_ptr<OffscreenContext> make_sharing_context(const OffscreenContext& with,
                                                       std::shared_ptr<TextureShare> share) {
  const auto& first = dynamic_cast<const EglContext&>(with);
  if (!eglBindAPI(EGL_OPENGL_API)) throw Error("EGL has no OpenGL.");
  // Contexts share only when both, or none, say that the device was lost: the first does not.
  const EGLConfig config = config_of(first.display());
  for (const std::pair<EGLint, EGLint>& version : {std::pair<EGLint, EGLint>{4, 5}, {4, 3}}) {
    std::vector<EGLint> attributes = attributes_of(version);
    attributes.push_back(EGL_NONE);
    const EGLContext context = eglCreateContext(first.display(), config, first.context(), attributes.data());
    if (context == EGL_NO_CONTEXT) continue;
    auto made = std::make_unique<EglContext>(first.display(), context, std::move(share));
    if (made->make_current()) return made;
    throw Error("EGL cannot use a context that it has made.");
  }
  throw Error("EGL gives no OpenGL 4.3 context that shares textures.");
}

}  // namespace headscope

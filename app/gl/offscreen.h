// A GL context without any window system: EGL surfaceless, else the device platform.
#pragma once

#include <memory>
#include <string>

namespace headscope {

class TextureShare;

class OffscreenContext {
 public:
  virtual ~OffscreenContext() = default;
  // What it has in common with a window's context; null when it is one by itself.
  virtual std::shared_ptr<TextureShare> share() const { return nullptr; }
};

struct ContextQuery {
  int major = 3, minor = 3;  // at least this version of OpenGL core
  // To compute with: a driver that draws on the CPU only when there is no other, and a context that says when the
  // device was lost, where the driver can.
  bool computes = false;
};
// Makes it current on this thread, where it must also be destroyed. Throws Error when EGL refuses.
std::unique_ptr<OffscreenContext> make_offscreen_context(const ContextQuery& query = {});

// One to compute with that shares its objects with `with`, which make_offscreen_context() made and which may be current
// on another thread; `share` is what both then have. Current on this thread, where it must also be destroyed. Throws
// Error when EGL refuses.
std::unique_ptr<OffscreenContext> make_sharing_context(const OffscreenContext& with,
                                                       std::shared_ptr<TextureShare> share);

// GL_RENDERER of the current context, and whether that is a driver that draws on the CPU.
std::string renderer_name();
bool is_software_renderer(const std::string& renderer);

// An RGBA8 framebuffer to draw on where no window gives one.
class OffscreenTarget {
 public:
  virtual ~OffscreenTarget() = default;
};
// Makes one of width x height pixels and binds it for drawing and reading; the viewport covers it. Throws Error when
// the driver cannot hold that many pixels.
std::unique_ptr<OffscreenTarget> make_offscreen_target(int width, int height);

}  // namespace headscope

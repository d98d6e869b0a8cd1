// A GL context without a window system: EGL surfaceless, else the device platform.
#pragma once

#include <memory>
#include <string>

namespace headscope {

class TextureShare;

class OffscreenContext {
 public:
  virtual ~OffscreenContext() = default;
  // The objects shared with a window's context; null when this context shares none.
  virtual std::shared_ptr<TextureShare> share() const { return nullptr; }
};

struct ContextQuery {
  int major = 3, minor = 3;  // at least this version of OpenGL core
  // For computing: chooses a driver that draws on the CPU only when there is no other, and asks for a context that
  // reports a lost device, where the driver can.
  bool computes = false;
};
// Makes a context, current on this thread, where it must also be destroyed. Throws Error when EGL refuses.
std::unique_ptr<OffscreenContext> make_offscreen_context(const ContextQuery& query = {});

// Makes a context for computing that shares its objects with `with` (made by make_offscreen_context(), may be current
// on another thread); its share() is `share`. Current on this thread, where it must also be destroyed. Throws Error
// when EGL refuses.
std::unique_ptr<OffscreenContext> make_sharing_context(const OffscreenContext& with,
                                                       std::shared_ptr<TextureShare> share);

// GL_RENDERER of the current context, and whether that is a driver that draws on the CPU.
std::string renderer_name();
bool is_software_renderer(const std::string& renderer);

// An RGBA8 framebuffer for drawing without a window.
class OffscreenTarget {
 public:
  virtual ~OffscreenTarget() = default;
};
// Makes a framebuffer of width x height pixels and binds it for drawing and reading; the viewport covers it. Throws
// Error when the driver cannot hold that many pixels.
std::unique_ptr<OffscreenTarget> make_offscreen_target(int width, int height);

}  // namespace headscope

// A GL context without any window system: EGL surfaceless, else the device platform.
#pragma once

#include <memory>

namespace headscope {

class OffscreenContext {
 public:
  virtual ~OffscreenContext() = default;
};
// Makes it current: OpenGL 3.3 core or newer. Throws Error when EGL refuses.
std::unique_ptr<OffscreenContext> make_offscreen_context();

// An RGBA8 framebuffer to draw on where no window gives one.
class OffscreenTarget {
 public:
  virtual ~OffscreenTarget() = default;
};
// Makes one of width x height pixels and binds it for drawing and reading; the viewport covers it. Throws Error when
// the driver cannot hold that many pixels.
std::unique_ptr<OffscreenTarget> make_offscreen_target(int width, int height);

}  // namespace headscope

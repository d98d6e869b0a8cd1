// A GL context without any window system: EGL surfaceless, else the device platform.
#pragma once

#include <memory>

#include "core/picture/image.h"

namespace headscope {

class OffscreenContext {
 public:
  virtual ~OffscreenContext() = default;
};
// Makes it current. Throws Error when EGL refuses.
std::unique_ptr<OffscreenContext> make_offscreen_context();

// The pixels of the bound framebuffer, top row first.
Image read_framebuffer(int width, int height);

}  // namespace headscope

// Contexts of OpenGL that GLFW makes. GLFW must have started.
#pragma once

#include <atomic>

#include "app/platform/window.h"

struct GLFWwindow;

namespace headscope {

// The next window gets a core context of this version, without depth and stencil buffers; all other hints are GLFW's
// defaults.
void hint_core_context(int major, int minor);

// The context of a window that is never shown; it shares textures with that of `shares_with`.
class HiddenContext : public SharedContext {
 public:
  explicit HiddenContext(GLFWwindow* shares_with);
  ~HiddenContext() override;
  HiddenContext(const HiddenContext&) = delete;
  HiddenContext& operator=(const HiddenContext&) = delete;

  bool made() const { return window_ != nullptr; }  // false: GLFW or the driver refused
  void make_current() override;
  void release() override;
  std::atomic<bool> lent = false;

 private:
  GLFWwindow* window_ = nullptr;
};

}  // namespace headscope

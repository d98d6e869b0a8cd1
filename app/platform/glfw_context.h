// Contexts of OpenGL that GLFW makes. GLFW must have started.
#pragma once

#include <atomic>
#include <string>

#include "app/platform/window.h"

struct GLFWwindow;

namespace headscope {

// The next window gets a core context of this version, without depth and stencil buffers; all other hints are GLFW's
// defaults. `tells_losses`: the context says when the driver has reset the device, and gives errors from then on.
// Contexts share only where both do or neither does.
void hint_core_context(int major, int minor, bool tells_losses);

// A window that is shown, with a core context of OpenGL 3.3, by itself: GLFW's hints are set for it.
struct ShownWindow {
  GLFWwindow* window = nullptr;  // null: refused
  bool tells_losses = false;     // its context does
};
ShownWindow open_shown_window(const std::string& title, int width, int height);

// Whether the driver of the current context draws on the processor.
bool draws_by_software();

// The context of a window that is never shown; it shares textures with that of `shares_with`.
class HiddenContext : public SharedContext {
 public:
  // `tells_losses`: whether that one does.
  HiddenContext(GLFWwindow* shares_with, bool tells_losses);
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

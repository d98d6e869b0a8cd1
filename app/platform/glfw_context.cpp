#include "app/platform/glfw_context.h"

// Without it GLFW would declare GL.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "core/base/error.h"

namespace headscope {

void hint_core_context(int major, int minor) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, minor);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
}

HiddenContext::HiddenContext(GLFWwindow* shares_with) {
  hint_core_context(4, 3);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_FOCUSED, GLFW_FALSE);
  window_ = glfwCreateWindow(1, 1, "Headscope computes", nullptr, shares_with);
  glfwGetError(nullptr);
}

HiddenContext::~HiddenContext() {
  if (window_ != nullptr) glfwDestroyWindow(window_);
}

void HiddenContext::make_current() {
  glfwMakeContextCurrent(window_);
  if (glfwGetCurrentContext() != window_) throw Error("The driver does not let a second thread use its context.");
}

void HiddenContext::release() {
  glfwMakeContextCurrent(nullptr);
  lent = false;
}

}  // namespace headscope

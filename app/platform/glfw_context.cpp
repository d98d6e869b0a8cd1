#include "app/platform/glfw_context.h"

#include <epoxy/gl.h>
// GLFW comes after libepoxy: both would declare GL.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "core/base/error.h"

namespace headscope {

void hint_core_context(int major, int minor, bool tells_losses) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, minor);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  if (tells_losses) glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
}

ShownWindow open_shown_window(const std::string& title, int width, int height) {
  // Not every driver makes a context that tells of its loss.
  for (const bool tells_losses : {true, false}) {
    hint_core_context(3, 3, tells_losses);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "headscope");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headscope");
#ifdef GLFW_WAYLAND_APP_ID
    glfwWindowHintString(GLFW_WAYLAND_APP_ID, "headscope");
#endif
    GLFWwindow* window = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    if (window == nullptr) continue;
    glfwGetError(nullptr);  // what the first try was refused for is nobody's concern
    return {window, tells_losses};
  }
  return {};
}

bool draws_by_software() {
  const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string driver = renderer != nullptr ? renderer : "";
  return driver.find("llvmpipe") != std::string::npos || driver.find("softpipe") != std::string::npos ||
         driver.find("SwiftShader") != std::string::npos;
}

HiddenContext::HiddenContext(GLFWwindow* shares_with, bool tells_losses) {
  hint_core_context(4, 3, tells_losses);
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

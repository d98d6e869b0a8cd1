#include "app/platform/glfw_look.h"

// Without it GLFW would declare GL.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <array>
#include <cstddef>

#include "app/platform/app_icon.h"
#include "app/platform/glfw_display.h"

namespace headscope {

void fit_to_monitor(int& width, int& height) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return;
#if !defined(__APPLE__)
  float x = 1, y = 1;
  if (!on_wayland()) glfwGetMonitorContentScale(monitor, &x, &y);
  width = static_cast<int>(static_cast<float>(width) * x);
  height = static_cast<int>(static_cast<float>(height) * y);
#endif
  int left = 0, top = 0, work_width = 0, work_height = 0;
  glfwGetMonitorWorkarea(monitor, &left, &top, &work_width, &work_height);
  if (work_width > 0 && width > work_width) width = work_width;
  if (work_height > 0 && height > work_height) height = work_height;
  glfwGetError(nullptr);
}

void set_icon(GLFWwindow* window) {
  std::array<Image, 3> icons{app_icon(16), app_icon(32), app_icon(64)};
  std::array<GLFWimage, 3> images{};
  for (std::size_t i = 0; i < icons.size(); ++i) {
    images[i] = {icons[i].width, icons[i].height, &icons[i].pixels.data()->r};
  }
  glfwSetWindowIcon(window, static_cast<int>(images.size()), images.data());
  glfwGetError(nullptr);  // Wayland and macOS take their icon from elsewhere
}

}  // namespace headscope

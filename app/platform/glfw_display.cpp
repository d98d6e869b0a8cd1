#include "app/platform/glfw_display.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace headscope {
namespace {

[[maybe_unused]] std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

[[maybe_unused]] bool was_built_for(std::string_view system) {
  return std::string_view(glfwGetVersionString()).find(system) != std::string_view::npos;
}

bool init(std::string& reason) {
  if (glfwInit() == GLFW_TRUE) return true;
  reason = last_complaint();
  return false;
}

}  // namespace

std::string last_complaint() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description != nullptr ? description : "GLFW gives no reason";
}

std::string start_glfw() {
  std::string reason;
#ifdef __linux__
  const bool x11 = was_built_for("X11") && !variable("DISPLAY").empty();
  const std::string socket = variable("WAYLAND_DISPLAY"), folder = variable("XDG_RUNTIME_DIR");
  std::error_code unreadable;
  const bool asked = !socket.empty() || !variable("WAYLAND_SOCKET").empty() ||
                     (!folder.empty() && std::filesystem::exists(folder + "/wayland-0", unreadable));
  const bool found = !folder.empty() || socket.starts_with('/') || !variable("WAYLAND_SOCKET").empty();
  const bool wayland = was_built_for("Wayland") && asked && found;
  if (!x11 && !wayland) {
    if (!asked) return "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)";
    if (!was_built_for("Wayland")) return "there is no display (DISPLAY is not set, and this GLFW speaks X11 only)";
    return "there is no display (DISPLAY is not set, and without XDG_RUNTIME_DIR WAYLAND_DISPLAY names no socket)";
  }
#ifdef GLFW_PLATFORM
  if (!wayland) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
  if (!x11) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_WAYLAND);
  if (init(reason)) return "";
  // A socket that a compositor left behind, in a session that says it is Wayland's.
  if (!x11 || !wayland) return reason;
  glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
#endif
  return init(reason) ? "" : reason;
}

bool on_wayland() {
#ifdef GLFW_PLATFORM
  return glfwGetPlatform() == GLFW_PLATFORM_WAYLAND;
#else
  return was_built_for("Wayland");  // GLFW 3.3 was built for one window system
#endif
}

}  // namespace headscope

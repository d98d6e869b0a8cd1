// Which window system GLFW uses, and why none can be used.
#pragma once

#include <string>

namespace headscope {

// glfwInit on Wayland or X11. GLFW 3.4, which tries Wayland first, is told to skip a window system whose environment
// variables are missing, so that no library prints messages about it; when Wayland does not answer, X11 is tried.
// Returns "", or the reason why no window can open, for the user; GLFW is not started then.
std::string start_glfw();

// The last error of GLFW, in words for the user.
std::string last_complaint();

// After start_glfw(): whether GLFW runs on Wayland, where one unit of a window's size is more than a pixel on a scaled
// desktop.
bool on_wayland();

}  // namespace headscope

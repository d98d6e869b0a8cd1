// Which window system GLFW speaks to, and why there is none.
#pragma once

#include <string>

namespace headscope {

// glfwInit on Wayland or X11. GLFW 3.4, which tries Wayland first, is told to leave out a window system whose variables
// are missing, so that no library complains of it by itself; where Wayland does not answer, X11 is asked. Returns "",
// or the reason why no window can open, for the user; GLFW is not started then.
std::string start_glfw();

// What GLFW complained of last, in words for the user.
std::string last_complaint();

// Once it is started: whether one unit of a window's size is more than a pixel where the desktop is scaled.
bool on_wayland();

}  // namespace headscope

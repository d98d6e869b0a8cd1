// Which window system GLFW is to speak to, and why there is none.
#pragma once

#include <string>

namespace headscope {

// Before glfwInit: tells GLFW 3.4, which tries Wayland first, to leave out a window system whose variables are missing,
// so that no library complains of it by itself. Returns "", or the reason why no window can open, for the user.
std::string choose_display();

// After glfwInit: whether one unit of a window's size is more than a pixel where the desktop is scaled.
bool on_wayland();

}  // namespace headscope

// How large a window begins, and its icon. GLFW must have started.
#pragma once

struct GLFWwindow;

namespace headscope {

// Sizes are given at 1x. Where a screen coordinate is a pixel (X11, Windows) they grow with the content scale; nowhere
// do they exceed the desktop.
void fit_to_monitor(int& width, int& height);

// The program's icon, where the desktop takes it from the window.
void set_icon(GLFWwindow* window);

}  // namespace headscope

// Programs of the desktop that files are handed to: what opens them, and what puts a picture on the clipboard. Nothing
// waits for them.
#pragma once

#include <string>

namespace headscope {

// Opens a file or a folder with what the desktop opens it with (xdg-open); false when there is no such program.
bool can_open();
void open_with_desktop(const std::string& path);

// Puts a PNG file on the clipboard as an image, by wl-copy under Wayland, else by xclip; false when neither is
// installed.
bool can_copy_image();
void copy_image(const std::string& png_path);

}  // namespace headscope

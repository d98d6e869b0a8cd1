// Programs of the desktop that files are handed to: what opens them, and what puts a picture on the clipboard. Nothing
// waits for them.
#pragma once

#include <string>

namespace headscope {

// Opens a file or a folder with what the desktop opens it with (xdg-open); false when there is no such program.
bool can_open();
void open_with_desktop(const std::string& path);
const char* why_no_opener();  // a sentence for where can_open() is false

// Puts a PNG file on the clipboard as an image, by wl-copy under Wayland, else by xclip; false when neither is
// installed.
bool can_copy_image();
void copy_image(const std::string& png_path);
const char* why_no_image_copier();

// Speaks a text in English by speech-dispatcher (spd-say), in place of what it says for us now.
bool can_say();
void say(const std::string& text);

// Plays the bytes of a WAV file by pw-play, paplay or aplay, whichever is installed first, in place of what played
// before. The file lies in XDG_RUNTIME_DIR, or where temporary files do, until the next sound or the program's end; a
// sound that cannot be kept there is not played. Not for two threads at once.
bool can_play();
void play(const std::string& wav);

}  // namespace headscope

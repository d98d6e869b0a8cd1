// GLFW's key codes as KeyName, by what the keyboard layout prints on the key.
#pragma once

#include "app/platform/key_event.h"

namespace headscope {

// A key press as GLFW reports it: letters and signs follow the keyboard layout (Ctrl+Z is the key printed Z); digits
// and the number pad are the same in every layout. `key` of the result is unknown for keys that no shortcut can use.
KeyEvent key_event(int glfw_key, int scancode, int action, int mods);

}  // namespace headscope

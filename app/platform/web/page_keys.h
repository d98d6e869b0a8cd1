// Keys as a browser names them.
#pragma once

#include <optional>

#include "app/platform/key_event.h"

namespace headscope {

// A key that went down, of KeyboardEvent's fields.
struct PageKey {
  const char* key = "";   // what it prints or is called: "a", "Enter"
  const char* code = "";  // its place on a US keyboard: "KeyA"
  bool repeat = false, ctrl = false, shift = false, alt = false, meta = false;
};

// Whether the key types text, which comes as characters; AltGr is Ctrl and Alt on some systems.
bool types_text(const PageKey& key);

// The event that the window knows; nullopt for keys that it does not, and for those that are the browser's own: paste,
// which comes as an event of its own, the browser's tools and its full screen. Alt stands for Ctrl in the shortcuts
// that browsers keep for themselves: N, T, W, R, Shift+J, PageUp and PageDown.
std::optional<KeyEvent> key_event(const PageKey& key);

}  // namespace headscope

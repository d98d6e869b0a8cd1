#include "app/platform/glfw_keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <optional>

#include "app/platform/key_sign.h"

namespace headscope {
namespace {

// Where the layout prints no letter or sign of ours (AZERTY's digit row, Cyrillic): the place on a US keyboard.
KeyName key_of_place(int key) {
  if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return nth_key(KeyName::a, key - GLFW_KEY_A);
  if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return nth_key(KeyName::zero, key - GLFW_KEY_0);
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return nth_key(KeyName::f1, key - GLFW_KEY_F1);
  switch (key) {
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD:
      return KeyName::plus;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT:
      return KeyName::minus;
    case GLFW_KEY_SLASH:
    case GLFW_KEY_KP_DIVIDE:
      return KeyName::slash;
    case GLFW_KEY_COMMA:
      return KeyName::comma;
    case GLFW_KEY_PERIOD:
    case GLFW_KEY_KP_DECIMAL:
      return KeyName::period;
    case GLFW_KEY_SPACE:
      return KeyName::space;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      return KeyName::enter;
    case GLFW_KEY_ESCAPE:
      return KeyName::escape;
    case GLFW_KEY_TAB:
      return KeyName::tab;
    case GLFW_KEY_BACKSPACE:
      return KeyName::backspace;
    case GLFW_KEY_DELETE:
      return KeyName::del;
    case GLFW_KEY_INSERT:
      return KeyName::insert;
    case GLFW_KEY_LEFT:
      return KeyName::left;
    case GLFW_KEY_RIGHT:
      return KeyName::right;
    case GLFW_KEY_UP:
      return KeyName::up;
    case GLFW_KEY_DOWN:
      return KeyName::down;
    case GLFW_KEY_HOME:
      return KeyName::home;
    case GLFW_KEY_END:
      return KeyName::end;
    case GLFW_KEY_PAGE_UP:
      return KeyName::page_up;
    case GLFW_KEY_PAGE_DOWN:
      return KeyName::page_down;
    default:
      return KeyName::unknown;
  }
}

// The number pad: digits and point with NumLock, else the second print of its keys.
KeyName key_of_pad(int key, bool num_lock) {
  if (num_lock) return key == GLFW_KEY_KP_DECIMAL ? KeyName::period : nth_key(KeyName::zero, key - GLFW_KEY_KP_0);
  switch (key) {
    case GLFW_KEY_KP_0:
      return KeyName::insert;
    case GLFW_KEY_KP_1:
      return KeyName::end;
    case GLFW_KEY_KP_2:
      return KeyName::down;
    case GLFW_KEY_KP_3:
      return KeyName::page_down;
    case GLFW_KEY_KP_4:
      return KeyName::left;
    case GLFW_KEY_KP_6:
      return KeyName::right;
    case GLFW_KEY_KP_7:
      return KeyName::home;
    case GLFW_KEY_KP_8:
      return KeyName::up;
    case GLFW_KEY_KP_9:
      return KeyName::page_up;
    case GLFW_KEY_KP_DECIMAL:
      return KeyName::del;
    default:
      return KeyName::unknown;
  }
}

}  // namespace

KeyEvent key_event(int glfw_key, int scancode, int action, int mods) {
  KeyEvent event;
  event.repeat = action == GLFW_REPEAT;
  event.ctrl = (mods & GLFW_MOD_CONTROL) != 0;
#ifdef __APPLE__
  event.ctrl = event.ctrl || (mods & GLFW_MOD_SUPER) != 0;
#endif
  event.shift = (mods & GLFW_MOD_SHIFT) != 0;
  event.alt = (mods & GLFW_MOD_ALT) != 0;
  if (glfw_key >= GLFW_KEY_KP_0 && glfw_key <= GLFW_KEY_KP_DECIMAL) {
    event.key = key_of_pad(glfw_key, (mods & GLFW_MOD_NUM_LOCK) != 0);
    return event;
  }
  // Only keys that print have a layout name, and only those of one byte can be ours.
  const bool prints = glfw_key > GLFW_KEY_SPACE && glfw_key <= GLFW_KEY_WORLD_2;
  // Programs that type signs make keymaps in which any key prints, Escape's place too: it is no Escape then.
  if (!prints && glfw_key != GLFW_KEY_SPACE) {
    const bool has_sign = glfwGetKeyName(GLFW_KEY_UNKNOWN, scancode) != nullptr;
    glfwGetError(nullptr);  // a key without a sign is no error to us
    if (has_sign) return event;
  }
  const char* name = prints ? glfwGetKeyName(glfw_key, scancode) : nullptr;
  const std::optional<KeyName> printed =
      name != nullptr && name[0] != '\0' && name[1] == '\0' ? key_of_sign(name[0]) : std::nullopt;
  event.key = printed ? *printed : key_of_place(glfw_key);
  // Plus is Shift+'=' on many layouts: a shortcut with plus must not ask for Shift too.
  if (event.key == KeyName::plus && name != nullptr && name[0] == '=') event.shift = false;
  return event;
}

}  // namespace headscope

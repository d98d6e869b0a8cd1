#include "app/platform/web/page_input.h"

#include <emscripten.h>
#include <emscripten/html5.h>

#include <cmath>
#include <cstring>

#include "app/platform/web/page_keys.h"

namespace headscope {
namespace {

constexpr double kPixelsOfNotch = 100, kLinesOfNotch = 3;  // of the wheel, in what browsers tell
// So much further apart, or closer, two fingers turn the wheel by a notch.
constexpr double kPinchOfNotch = 1.1;

InputQueue* queue = nullptr;  // of the page's window

struct Pointer {
  float x = kNoPointer, y = kNoPointer;
  bool finger_down = false;
  double apart = 0;  // two fingers, at the last notch
};
Pointer pointer;

void move_to(double x, double y, bool shift) {
  const double ratio = emscripten_get_device_pixel_ratio();
  pointer.x = static_cast<float>(x * ratio);
  pointer.y = static_cast<float>(y * ratio);
  queue->add(MouseEvent{.kind = MouseEvent::Kind::move, .x = pointer.x, .y = pointer.y, .shift = shift});
}

void leave() {
  queue->add(MouseEvent{.kind = MouseEvent::Kind::move, .x = kNoPointer, .y = kNoPointer});
}

void press(int button, bool down, bool shift) {
  queue->add(MouseEvent{.kind = MouseEvent::Kind::button, .button = button, .down = down, .shift = shift});
}

void turn_wheel(double x, double y, bool shift) {
  queue->add(MouseEvent{
      .kind = MouseEvent::Kind::wheel, .x = static_cast<float>(x), .y = static_cast<float>(y), .shift = shift});
}

// True: the browser does nothing of its own.
EM_BOOL on_key(int, const EmscriptenKeyboardEvent* event, void*) {
  const PageKey key{event->key,           event->code,        event->repeat != 0, event->ctrlKey != 0,
                    event->shiftKey != 0, event->altKey != 0, event->metaKey != 0};
  if (std::strcmp(event->key, "Process") == 0 || std::strcmp(event->key, "Dead") == 0) return EM_FALSE;
  const std::optional<KeyEvent> known = key_event(key);
  const bool types = types_text(key);
  if (known) queue->add(*known);
  return known && !types ? EM_TRUE : EM_FALSE;
}

EM_BOOL on_move(int, const EmscriptenMouseEvent* event, void*) {
  move_to(event->targetX, event->targetY, event->shiftKey != 0);
  return EM_FALSE;
}

EM_BOOL on_button(int type, const EmscriptenMouseEvent* event, void*) {
  constexpr int kOurs[] = {0, 2, 1};  // browsers count the middle one before the right one
  if (event->button > 2) return EM_FALSE;
  move_to(event->targetX, event->targetY, event->shiftKey != 0);
  press(kOurs[event->button], type == EMSCRIPTEN_EVENT_MOUSEDOWN, event->shiftKey != 0);
  return EM_FALSE;
}

EM_BOOL on_mouse_leave(int, const EmscriptenMouseEvent* event, void*) {
  if (event->buttons == 0) leave();
  return EM_FALSE;
}

EM_BOOL on_wheel(int, const EmscriptenWheelEvent* event, void*) {
  const double notch = event->deltaMode == DOM_DELTA_PIXEL ? kPixelsOfNotch : kLinesOfNotch;
  turn_wheel(-event->deltaX / notch, -event->deltaY / notch, event->mouse.shiftKey != 0);
  return EM_TRUE;
}

void release_finger() {
  if (!pointer.finger_down) return;
  pointer.finger_down = false;
  press(0, false, false);
}

void pinch(const EmscriptenTouchPoint& one, const EmscriptenTouchPoint& other, bool begins) {
  const double apart =
      std::hypot(static_cast<double>(one.targetX - other.targetX), static_cast<double>(one.targetY - other.targetY));
  if (begins || pointer.apart <= 0 || apart <= 0) {
    pointer.apart = apart;
    return;
  }
  const double notches = std::log(apart / pointer.apart) / std::log(kPinchOfNotch);
  if (std::abs(notches) < 1) return;
  pointer.apart = apart;
  move_to((one.targetX + other.targetX) / 2.0, (one.targetY + other.targetY) / 2.0, false);
  turn_wheel(0, notches, false);
}

EM_BOOL on_touch(int type, const EmscriptenTouchEvent* event, void*) {
  const bool ends = type == EMSCRIPTEN_EVENT_TOUCHEND || type == EMSCRIPTEN_EVENT_TOUCHCANCEL;
  if (ends || event->numTouches > 1) release_finger();
  if (ends) {
    leave();
  } else if (event->numTouches > 1) {
    pinch(event->touches[0], event->touches[1], type == EMSCRIPTEN_EVENT_TOUCHSTART);
  } else if (event->numTouches == 1) {
    move_to(event->touches[0].targetX, event->touches[0].targetY, false);
    if (type == EMSCRIPTEN_EVENT_TOUCHSTART) {
      pointer.finger_down = true;
      press(0, true, false);
    }
  }
  return EM_TRUE;
}

}  // namespace

void hear_page(const char* canvas, InputQueue& to) {
  queue = &to;
  emscripten_set_keydown_callback(EMSCRIPTEN_EVENT_TARGET_WINDOW, nullptr, true, on_key);
  // The window's, so that a drag goes on beyond the canvas, which fills it.
  emscripten_set_mousemove_callback(EMSCRIPTEN_EVENT_TARGET_WINDOW, nullptr, true, on_move);
  emscripten_set_mouseup_callback(EMSCRIPTEN_EVENT_TARGET_WINDOW, nullptr, true, on_button);
  emscripten_set_mousedown_callback(canvas, nullptr, true, on_button);
  emscripten_set_mouseleave_callback(canvas, nullptr, true, on_mouse_leave);
  emscripten_set_wheel_callback(canvas, nullptr, true, on_wheel);
  emscripten_set_touchstart_callback(canvas, nullptr, true, on_touch);
  emscripten_set_touchmove_callback(canvas, nullptr, true, on_touch);
  emscripten_set_touchend_callback(canvas, nullptr, true, on_touch);
  emscripten_set_touchcancel_callback(canvas, nullptr, true, on_touch);
}

}  // namespace headscope

// The scripts of the page call these by their names (assets/web).
extern "C" {

EMSCRIPTEN_KEEPALIVE void headscope_typed(unsigned code_point) {
  using namespace headscope;
  if (queue != nullptr) queue->add(static_cast<char32_t>(code_point));
}

// The text is in the page's clipboard.
EMSCRIPTEN_KEEPALIVE void headscope_pasted() {
  using namespace headscope;
  if (queue != nullptr) queue->add(KeyEvent{.key = KeyName::v, .ctrl = true});
}

EMSCRIPTEN_KEEPALIVE void headscope_dropped(const char* path) {
  using namespace headscope;
  if (queue != nullptr) queue->add_drop(path);
}
}

// Turns what a user does on a page (keys, mouse, fingers, text, drops) into events of the window.
#pragma once

#include "app/platform/input_queue.h"

namespace headscope {

// From now on keys, text, mouse, fingers, pastes and dropped files go to `queue`, which lives as long as the page.
// `canvas`: the selector of the element whose places the mouse and fingers are told in. Text comes from a hidden field
// of the page (assets/web/input.js), so that dead keys and composition are the browser's. One finger is the left
// button; two that move apart turn the wheel.
void hear_page(const char* canvas, InputQueue& queue);

}  // namespace headscope

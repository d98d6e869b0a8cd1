// What a capture file may hold, drawn below the list of files, and the lines of PyTorch that write one.
#pragma once

#include <string_view>

#include "app/ui/ui.h"

namespace headscope::ui {

constexpr float kCaptureHintWidth = 900, kCaptureHintHeight = 176;  // at 1x

// Six lines that write attention.npz from a model of the transformers library, with its tokens.
std::string_view capture_lines();

// The shapes by their axes at the left, the lines with a button that copies them at the right.
void draw_capture_hint(Ui& ui, const Rect& area);

}  // namespace headscope::ui

// In the place of the phrase, where a capture is shown: the names of its tokens.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

// A field for the names (of queries and keys where they differ), a button that fills it with the names on screen or
// empties it again, and the tokens as chips.
void draw_capture_names(Ui& ui, const Rect& area);

}  // namespace headscope::ui

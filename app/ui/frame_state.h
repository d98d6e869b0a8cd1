// What a frame does to the state of the window before its panels are drawn and after.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

// Makes the state ready for a frame. `acts`: a key, a click or the wheel came with it.
void begin_frame_state(UiState& state, bool acts);

// Takes Tab and Shift+Tab: the focus goes through the controls in the order in which they were drawn in the last frame.
void move_focus(Ui& ui);

// Lets the atlas follow what is typed once the typing rests: see UiState::settled_text.
void settle_text(Ui& ui);

// Keeps what the next frame reads, and closes what has lost its control.
void end_frame_state(Ui& ui);

}  // namespace headscope::ui

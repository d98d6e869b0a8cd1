// In the place of the phrase: the files or token ids that the input comes from.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

// Whether the input of the request is no phrase.
bool comes_from_files(const Request& request);

// Their names, a button that goes back to a phrase, and the positions as chips.
void draw_input_files(Ui& ui, const Rect& area);

}  // namespace headscope::ui

// Where the arrow keys lead: by what is seen, which in right-to-left text is against the order of the bytes. Pure, as
// text_edit.h.
#pragma once

#include "app/ui/widgets/text_edit.h"

namespace headscope::ui {

// The caret goes to the next place left or right of it on its line, over one grapheme; from the end of a line into the
// line above or below. A selection collapses to the side of the move, unless `select` keeps its anchor.
void step_left(TextEdit& edit, bool select);
void step_right(TextEdit& edit, bool select);

// Over a word in the direction in which the key points.
void step_word_left(TextEdit& edit, bool select);
void step_word_right(TextEdit& edit, bool select);

}  // namespace headscope::ui

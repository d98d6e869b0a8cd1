// The strip below the panels in which a teacher records a lesson (stops: a view and words) and plays it.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

// The height that the strip takes above the status bar, in device pixels; 0 while it is closed. `window`: its size.
float lesson_height(Ui& ui, ImVec2 window);
// Draws the strip; nothing while it is closed. Escape ends what is played.
void draw_lesson_strip(Ui& ui, const Rect& area);

// Opens the strip with the focus on its words, or closes it.
void toggle_lesson(Ui& ui);
// A stop after the chosen one, at what is shown now; the strip opens, the focus goes to its words. A notice says when
// there are too many.
void add_lesson_stop(Ui& ui);
// Chooses a stop and shows its view; out of range: the nearest. Nothing without stops.
void show_lesson_stop(Ui& ui, int stop);
// Plays from the chosen stop, or from the first when the chosen one is the last. Nothing without stops.
void play_lesson(Ui& ui);
// Ends playing; the strip edits stops again, or closes when it was opened to play.
void leave_lesson(Ui& ui);

}  // namespace headscope::ui

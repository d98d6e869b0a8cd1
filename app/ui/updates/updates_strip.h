// The time slider: the results that a followed file has had, above the status bar.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kUpdatesSlider = "updates/slider";

// What the strip remembers.
struct UpdatesStrip {
  bool plays = false;
  double next = 0;  // UiState::time at which the next update is shown
};

// The height that the strip takes above the status bar, in device pixels; 0 where there is nothing to go through: less
// than two results of a followed file.
float updates_height(const Ui& ui);
void draw_updates_strip(Ui& ui, const Rect& area);

// The update before or after the shown one, the newest; nothing where there is none.
void show_update_before(Ui& ui);
void show_next_update(Ui& ui);
void show_newest_update(Ui& ui);
// Shows one after the other from the shown one on, from the first where that is the newest; or stops.
void play_updates(Ui& ui);
// A job writes a picture of each update that is kept.
void export_updates(Ui& ui);

}  // namespace headscope::ui

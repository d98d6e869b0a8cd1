// The parts that all dialogs share: shade, frame, title, close button.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/ui.h"

namespace headscope::ui {

struct DialogFrame {
  Rect frame;   // the whole dialog
  Rect body;    // below the line of the title, above that of the footer
  Rect footer;  // 54 high; empty when the dialog has none
};

struct DialogLook {
  std::string name;  // of its controls: "export"
  std::string_view title;
  float width = 0, height = 0;  // at 1x
  bool has_footer = false;
};

// Draws shade, ground, title and close button, centred in `window`, at most as large as it. Closes on Esc and on the
// button (ui.state.dialog becomes none).
DialogFrame draw_dialog_frame(Ui& ui, const Rect& window, const DialogLook& look);

void close_dialog(Ui& ui);
// The same for a dialog whose choice may set the focus or open another one: the focus is at once where it was before.
void close_dialog_for_choice(Ui& ui);

// Each dialog in the file of its name.
void draw_export_dialog(Ui& ui, const Rect& window);
void draw_worksheet_dialog(Ui& ui, const Rect& window);
void draw_handout_dialog(Ui& ui, const Rect& window);
void draw_open_dialog(Ui& ui, const Rect& window);
void draw_save_dialog(Ui& ui, const Rect& window);
void draw_save_script_dialog(Ui& ui, const Rect& window);
void draw_help_dialog(Ui& ui, const Rect& window);
void draw_guide_dialog(Ui& ui, const Rect& window);
void draw_about_dialog(Ui& ui, const Rect& window);
void draw_palette_dialog(Ui& ui, const Rect& window);
void draw_examples_dialog(Ui& ui, const Rect& window);
void draw_go_to_dialog(Ui& ui, const Rect& window);
void draw_settings_dialog(Ui& ui, const Rect& window);

}  // namespace headscope::ui

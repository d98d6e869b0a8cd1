// The lowest part of the export dialog: a small picture of what would be written, and what is known of the files.
#pragma once

#include "app/ui/export_dialog_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Nothing is drawn where `area` is too low for it.
void draw_export_preview(Ui& ui, const ExportDialogState& state, const Rect& area);

// Draws the line below the file's name: why it cannot be written, or which file it would replace. `y` goes below it.
void draw_export_warning(Ui& ui, const ExportDialogState& state, const Rect& form, float& y);

}  // namespace headscope::ui

// The part of the export dialog that is about pictures: size on the screen or on paper, ground, what stands around the
// maps.
#pragma once

#include <string_view>

#include "app/ui/export_dialog_state.h"
#include "app/ui/ui.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// A label of the form at the left, the rest of the row for its controls; `y` goes below it.
Rect labelled_row(Ui& ui, const Rect& form, float& y, std::string_view label, float height = size::control_height);

// Puts what the choice says into the fields that are typed into.
void start_picture_form(Ui& ui, ExportDialogState& state);

void draw_picture_form(Ui& ui, ExportDialogState& state, const Rect& form, float& y);

}  // namespace headscope::ui

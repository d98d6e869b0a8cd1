// The computation as code: the view on Ctrl+Shift+P.
#pragma once

#include <memory>

#include "app/ui/script/shown_script.h"
#include "app/ui/ui.h"
#include "core/script/script.h"

namespace headscope::ui {

// The script in the chosen language; kept until trace or language change.
const ShownScript& shown_script(Ui& ui, const std::shared_ptr<const Trace>& trace);

// The pipeline, and below it the script with the lines of the selected stage marked.
void draw_script_panel(Ui& ui, const Rect& area);
// The panel scrolls to the marked lines when it is opened next.
void forget_script_place(Ui& ui);

}  // namespace headscope::ui

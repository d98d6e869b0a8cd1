// What can be done with a file that was just exported: buttons beside the sentence that says so.
#pragma once

#include "app/session/jobs.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Takes room from the right of `line` for Open, Show in folder and Copy image, as far as they can do something.
void draw_export_actions(Ui& ui, const Job& job, Rect& line);

}  // namespace headscope::ui

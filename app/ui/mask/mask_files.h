// The row of the mask editor that reads and writes mask files.
#pragma once

#include "app/ui/ui.h"
#include "core/attention/trace.h"

namespace headscope::ui {

// A path, a convention, Import and Export of the mask of (batch, head).
void draw_mask_files(Ui& ui, const Trace& trace, std::int64_t batch, std::int64_t head, const Rect& area);

}  // namespace headscope::ui

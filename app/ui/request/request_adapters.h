// Request, Model: the adapters beside a checkpoint.
#pragma once

#include "app/ui/request/request_panel.h"

namespace headscope::ui {

// A line for each adapter: whether it is added, by which factor, and out with it. Nothing without adapters.
void draw_adapters(RequestRows& rows);

}  // namespace headscope::ui

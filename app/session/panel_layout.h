// How the user has arranged the panels: kept in the settings, whatever is open.
#pragma once

#include "app/session/settings_values.h"
#include "app/session/view_state.h"

namespace headscope {

PanelLayout panel_layout_of(const ViewState& view);
void set_panel_layout(ViewState& view, const PanelLayout& layout);

}  // namespace headscope

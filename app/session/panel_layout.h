// How the user has arranged the panels: kept in the settings, whatever is open.
#pragma once

#include "app/session/settings_values.h"
#include "app/session/view_state.h"

namespace headscope {

PanelLayout panel_layout_of(const ViewState& view);
void set_panel_layout(ViewState& view, const PanelLayout& layout);

// The arrangement at the very first start: what is not needed at first sight is folded to a line.
PanelLayout first_panel_layout();

// How a document that says nothing of it shows the heads: the picked one large, for whoever began with that or chose it
// since; else all of them.
HeadsShow usual_heads(const Settings& settings);

// Whether anything is folded.
bool is_folded(const PanelLayout& layout);
// Returns `layout`, its widths and heights as they are, with folded what is folded in `folds`, or with nothing folded.
PanelLayout with_folds_of(PanelLayout layout, const PanelLayout& folds);
PanelLayout unfolded(PanelLayout layout);

}  // namespace headscope

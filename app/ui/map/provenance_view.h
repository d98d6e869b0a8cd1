// The concat matrix coloured by the head and token that each cell really came from.
#pragma once

#include <string>

#include "app/ui/map/cell_grid.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Whether concat is shown by provenance: only with the direct merge, until the user switches to values.
bool shows_provenance(const Ui& ui, const Trace& trace);
void show_provenance(Ui& ui, bool on);

// The pixels: for each cell of `grid` (features counted from `feature0`) the colour of its head and token; the last
// pixel of a block of 6 or more is a gap.
Image provenance_picture(const Trace& trace, const CellGrid& grid, std::int64_t feature0, Rgba gap);

// Draws this picture, with the text `h2 t7` where it fits, and a white corner on blocks of a token after the row's own.
// `name` is the name of the picture, different for each panel.
void draw_provenance(Ui& ui, PanelData& data, const std::string& name, const CellGrid& grid, std::int64_t feature0);

// "Each row mixes 8 tokens of 2 heads instead of 1 token of 8. The future leaks: row 0 reads token 7."
std::string merge_sentence(const MergeReport& report, std::int64_t heads);

}  // namespace headscope::ui

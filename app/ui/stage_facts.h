// What the panels need to know about a stage, and what of a view fits a trace. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "core/attention/stage_layout.h"
#include "core/attention/trace.h"

namespace headscope::ui {

struct Ui;  // app/ui/ui.h

// Names of the rows (tokens of the query or the key side) and of the columns (key tokens; empty for features), as they
// are shown: of a token above 256 bytes its beginning. `rows_are_keys()` says whose whole names they are.
std::vector<std::string> row_names(const Trace& trace, StageId stage);
std::vector<std::string> column_names(const Trace& trace, StageId stage);
// The score-like stages of the trace, weights first, then backwards: what the heads' heatmaps can show.
std::vector<StageId> quantities_of(const Trace& trace);

// ---- what of the view fits the trace
// The view's batch, head, stage, quantity and cell, each replaced by the nearest that exists; the cell is dropped when
// it lies outside. The view itself stays as it is, so that undoing a change brings everything back.
struct Selection {
  StageId stage = StageId::weights, quantity = StageId::weights;
  std::int64_t batch = 0, head = 0;
  std::optional<Cell> cell;
};
Selection selection_of(const ViewState& view, const Trace& trace);
// Chooses a stage for the inspector; a score-like one becomes the heads' quantity too. The picked cell stays among
// score-like stages, its row stays elsewhere.
void select_stage(ViewState& view, StageId stage);

// Call it when the user has chosen how heads are shown: documents that say nothing of it open with one head, or with
// all of them, as was chosen last; and the panels beside lines and neurons show the same numbers as these.
void note_heads_chosen(Ui& ui);

// ---- colours
// The map that the user chose for weights or for signed data, else the theme's own.
ColorMap color_map_of(const Ui& ui, bool weight_like);
// "each pixel is the largest of up to 9 weights", or "" while every cell has a pixel.
std::string pixel_holds(std::int64_t rows, std::int64_t columns, float width, float height, const std::string& noun);

}  // namespace headscope::ui

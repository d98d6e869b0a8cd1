// The cards of the stages and their line of names share these parts.
#pragma once

#include <string>
#include <vector>

#include "app/ui/map/cell_highlight.h"
#include "app/ui/panel_data.h"
#include "app/ui/pipeline_cards.h"
#include "app/ui/ui.h"
#include "core/attention/trace.h"

namespace headscope::ui {

struct StripState {
  PanelData& data;
  Selection selection;
  std::vector<StageId> feeding;  // stages from which the picked number was made
  bool feeds(StageId stage) const;
};

// The name of a stage for tests: "pipeline/weights".
std::string stage_probe_name(StageId stage);

// The colour of its name: that of its role for query, key and value, weaker where nothing changes.
Rgba stage_name_color(const Ui& ui, const PipelineCard& card, const Stage& stage);

// Takes the clicks and keys of one stage. The selected one is the strip's place in the Tab order; arrows walk through
// the rest.
void stage_input(Ui& ui, StripState& strip, StageId stage, const Rect& rect);

// Draws the arrow between two stages.
void draw_stage_arrow(Ui& ui, float center_x, float center_y);

// Returns by how many pixels the stages are scrolled: the selected one stays in sight when it changed; the wheel
// scrolls.
float stages_offset(Ui& ui, const Rect& area, const CardLayout& layout, std::size_t selected);

// Draws the bar that shows which part of the stages is in sight, where not all of them are.
void draw_stages_bar(Ui& ui, const Rect& inner, const CardLayout& layout, float offset, float bottom);

// Draws the stages by their names, in one line of size::pipeline_small. `folds`: the line can be unfolded to cards.
void draw_stages_line(Ui& ui, StripState& strip, const Rect& area, bool folds);

}  // namespace headscope::ui

// The stages of a trace as the cards of the pipeline strip. Pure: no drawing.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"

namespace headscope::ui {

// One card: a stage, or a few that belong together (the inputs; qkv and its two reshapes; the projections; query, key
// and value), a line each.
struct PipelineCard {
  std::vector<StageId> stages;
  bool has(StageId stage) const;
};
std::vector<PipelineCard> pipeline_cards(const Trace& trace);

// The stage `step` places after `stage` in the trace's order, at most the first or last one.
StageId neighbour_stage(const Trace& trace, StageId stage, int step);

// "[1, 8, 5, 5]", or "= scores" when the stage equals the one before.
std::string shape_or_equal(const Trace& trace, const Stage& stage);

// "[1,8,5,5]": without blanks, for a narrow card.
std::string without_blanks(const std::string& shape);

// Widths of cards, `wanted` to `least` pixels each, between gaps of `gap` to `least_gap`, in `available` pixels: gaps
// shrink first, then cards; when the sum is still larger, the cards scroll. Spare space widens each card by at most
// `most_more`.
struct CardLayout {
  std::vector<float> x, width;  // from the left end of the content
  float gap = 0, content = 0;   // width of all cards with their gaps
};
CardLayout card_layout(const std::vector<float>& wanted, const std::vector<float>& least, float gap, float least_gap,
                       float available, float most_more);

}  // namespace headscope::ui

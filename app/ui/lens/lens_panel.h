// What a model would say after every layer, after its attention or of one head alone, and who made a logit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/ui/stage_facts.h"
#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kLensGrid = "lens/grid";  // the control that has the cells

// What the panel remembers.
struct LensPanelState {
  std::shared_ptr<const Lenses::Result> last;           // shown until a newer one is known
  std::shared_ptr<const Attributions::Result> ordered;  // whose parts `order` sorts
  std::vector<std::size_t> order;                       // the parts that are listed, the largest first
};

// What is shown in this frame.
struct LensShown {
  const Trace& trace;  // of which the lens is: the shown result, or an older one until its lens is known
  const LogitLens& lens;
  std::int64_t row = 0, column = 0;                   // the picked cell: lens.rows[row].positions[column]
  std::vector<std::int64_t> tokens;                   // whose logit is taken apart, one or two
  std::shared_ptr<const Attributions::Result> parts;  // null, or without an answer: not known yet

  const Prediction& picked() const {
    return lens.rows[static_cast<std::size_t>(row)].positions[static_cast<std::size_t>(column)];
  }
};

// Picks the cell of a row of the lens at a position.
void pick_lens_cell(Ui& ui, const LensRow& row, std::int64_t column);

// One layer's panels, of this layer, with this head when it is one, at this position.
void open_layer_at(Ui& ui, const LensShown& shown, std::int64_t layer, std::int64_t head);

// lens_grid.cpp: the cells with their axes and the colour bar.
void draw_lens_grid(Ui& ui, const LensShown& shown, const Rect& area);

// lens_logit.cpp: the picked cell's tokens, and the parts of the logit.
void draw_lens_logit(Ui& ui, const LensShown& shown, const Rect& area);

void draw_lens_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui

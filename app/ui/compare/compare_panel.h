// Two results beside each other: A, which was pinned, or the run without the picked head, and B, what one edits.
// compare_panel.cpp puts the parts together.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/session/background/background_queries.h"
#include "app/ui/compared_side.h"
#include "app/ui/panel_data.h"
#include "app/ui/result_pair.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What is shown in this frame.
struct CompareShown {
  PanelData& a;
  PanelData& b;
  Selection selection;                                    // of B
  std::shared_ptr<const Comparisons::Result> comparison;  // of these two, or of an older B; null: none yet
  bool current = false;                                   // the comparison is of these two
  std::optional<LayerHead> without = {};                  // ComparedSide::without
};

struct CompareState {
  bool pin_waits = false;  // a result is to be pinned once its exact numbers are there
  // The stage that was chosen while nothing is pinned: a head that is off changes no weights of its own layer, so that
  // the output is shown at first and not the stage that is picked.
  std::optional<StageId> own_stage = {};
};

// A and B as they are shown; nothing while there is no A.
std::optional<ResultPair> compared_pair(Ui& ui);

// Keeps the result on screen as A. Of a preview, once the exact numbers are there (pin_when_exact, called every frame).
void pin_result(Ui& ui);
void pin_when_exact(Ui& ui);
void unpin_result(Ui& ui);
// A picture of a difference was opened, and the draft is now A's request: once it is computed it is pinned, and `b` is
// what one edits. Where it cannot run, `b` comes alone.
void pin_then_edit(Ui& ui, const Request& b);

// compare_maps.cpp: A, B and A - B of the stage, and the number of each under them. Returns the y below.
float draw_compare_maps(Ui& ui, const CompareShown& shown, const Rect& area, float most_height);

// compare_lists.cpp: what was asked for differently, which tokens changed, where it starts; every stage; every head.
void draw_compare_lists(Ui& ui, const CompareShown& shown, const Rect& area);

}  // namespace headscope::ui

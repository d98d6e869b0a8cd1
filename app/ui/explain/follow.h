// Follow: one token through the stages. follow_panel.cpp puts bar, pictures and explanation together; follow_steps.cpp
// computes the steps (no drawing), follow_tensors.cpp draws the sources of the cell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/ui/map/cell_places.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"
#include "core/explain/cell_report.h"

namespace headscope::ui {

bool can_follow(const Ui& ui);  // there is a result
void draw_follow_panel(Ui& ui, const Rect& area);

// ---- steps
// The token, head and feature that are followed from stage to stage.
struct Followed {
  std::int64_t batch = 0, token = 0, head = 0;
  std::int64_t feature = 0;  // of the head
  std::int64_t key = 0;      // the key whose score and weight are shown
};

// One stage for each step of the pipeline that computes something, in order.
std::vector<StageId> follow_steps(const Trace& trace);
// The step of a stage: its own, or that of its card in the pipeline.
std::size_t follow_step_of(const Trace& trace, StageId stage);
// The cell of `stage` for the followed token, head and feature.
CellPlace followed_place(const Trace& trace, StageId stage, const Followed& followed);
// The reverse: what to follow when the user picks a cell. Members that the cell does not determine are those of
// `before`.
Followed followed_from(const Trace& trace, const CellPlace& place, const Followed& before);
// A sentence about the step, with the numbers of this cell. `report`: of the cell; null: not known yet.
std::vector<RoleText> follow_sentence(PanelData& data, const CellPlace& place, const CellReport* report);

// ---- pictures: all sources of the cell
void draw_follow_tensors(Ui& ui, PanelData& data, const CellPlace& place, const Rect& area);

}  // namespace headscope::ui

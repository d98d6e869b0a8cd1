// Follow: one token through the stages. follow_panel.cpp puts bar, pictures and explanation together; follow_steps.cpp
// says which steps there are (no drawing), follow_tensors.cpp draws what feeds the cell.
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
// What is followed from stage to stage.
struct Followed {
  std::int64_t batch = 0, token = 0, head = 0;
  std::int64_t feature = 0;  // of the head
  std::int64_t key = 0;      // whose score and weight are looked at
};

// One stage for each step of the pipeline that does something, in its order.
std::vector<StageId> follow_steps(const Trace& trace);
// The step that a stage belongs to: its own, or that of the card it stands on.
std::size_t follow_step_of(const Trace& trace, StageId stage);
// The cell of that stage that the followed token, head and feature have.
CellPlace followed_place(const Trace& trace, StageId stage, const Followed& followed);
// The same from a cell: what of `before` it does not say stays.
Followed followed_from(const Trace& trace, const CellPlace& place, const Followed& before);
// What the step does, with this cell's numbers. `report`: of the cell; null: not known yet.
std::vector<RoleText> follow_sentence(PanelData& data, const CellPlace& place, const CellReport* report);

// ---- pictures: everything that feeds the cell
void draw_follow_tensors(Ui& ui, PanelData& data, const CellPlace& place, const Rect& area);

}  // namespace headscope::ui

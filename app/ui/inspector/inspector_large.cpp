// The picture in the heads' place: one head, or one stage, as large as the window lets it be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/head_effect.h"
#include "app/ui/inspector/cell_finder.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/layout.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kHeader = 34, kSwitch = 92, kStage = 124, kThinCell = 16, kBelowThin = 52;
constexpr const char* kSwitchTip =
    "Switches this head off: its context is 0, and everything after it is computed so. Again: on (X).";
constexpr const char* kStageTip = "Which tensor of the layer is shown, in the order in which they are computed.";

// A list of all stages; a pick shows another one.
void draw_stages(Ui& ui, const Inspected& inspected, const Rect& place) {
  const Trace& trace = inspected.data.trace();
  std::vector<std::string> names;
  int selected = 0;
  for (const Stage& stage : trace.stages) {
    if (stage.id == inspected.stage) selected = static_cast<int>(names.size());
    names.emplace_back(stage_name(stage.id));
  }
  if (!combo(ui, "heads/stage", place, names, selected, {{true, false, kStageTip}})) return;
  if (selected >= 0 && static_cast<std::size_t>(selected) < trace.stages.size()) {
    select_stage(ui.session.view, trace.stages[static_cast<std::size_t>(selected)].id);
  }
}

// The head's own switch; X does the same wherever no text is typed.
void draw_switch(Ui& ui, const Inspected& inspected, Rect& rest) {
  const LayerHead place{shown_layer(ui), inspected.selection.head};
  const bool off = is_off(ui, place);
  const Rect at = take_right(rest, ui.px(kSwitch), ui.px(6));
  const char* why = off ? nullptr : why_heads_stay(ui);
  const bool pressed = button(ui, "heads/switch", at, off ? "Switch on" : "Switch off",
                              {why == nullptr, false, why != nullptr ? why : kSwitchTip});
  if (pressed) switch_head(ui, place);
}

void draw_title(Ui& ui, const Inspected& inspected, const Rect& area, bool with_stage) {
  const bool of_head = inspected.data.trace().tensor(inspected.stage).rank() == 4;
  const float top = std::round(area.center().y - ui.px(12));
  Rect rest{{area.min.x, top}, {area.max.x - ui.px(size::panel_padding), top + ui.px(size::control_height)}};
  if (of_head && inspected.data.trace().num_heads() > 0) draw_switch(ui, inspected, rest);
  if (with_stage) draw_stages(ui, inspected, take_right(rest, ui.px(kStage), ui.px(8)));
  // The list names the stage already.
  std::string fact = inspected_fact(inspected);
  const std::string named = std::string(stage_name(inspected.stage)) + " · ";
  if (fact.starts_with(named) && inspected.stage == StageId::weights) fact.erase(0, named.size());
  const float title = text_width(ui, of_head ? Type::title13 : Type::mono_bold12, inspected_title(inspected));
  const float beside = rest.max.x - area.min.x - 2 * ui.px(size::panel_padding) - title - ui.px(30);
  fact = fitting_words(ui, of_head ? Type::words12 : Type::mono12, beside, {fact, std::string()});
  const int head = of_head ? static_cast<int>(inspected.selection.head) : -1;
  const Rect behind =
      panel_header(ui, {area.min, {rest.max.x, area.max.y}}, inspected_title(inspected), fact, head, !of_head);
  explain_fact(ui, fact, behind);
}

}  // namespace

void draw_large_picture(Ui& ui, PanelData& data, const Rect& area, bool with_stage) {
  ui.mark("inspector/large", area);
  Inspected inspected = inspected_of(ui, data);
  if (inspected.matrix.dim(0) == 0 || inspected.matrix.dim(1) == 0) return;
  draw_title(ui, inspected, {area.min, {area.max.x, area.min.y + ui.px(kHeader)}}, with_stage);
  Rect rest{{area.min.x, area.min.y + ui.px(kHeader)}, area.max};
  const auto next_line = [&] {
    const Rect line{{rest.min.x + ui.px(size::panel_padding), rest.min.y + ui.px(2)},
                    {rest.max.x - ui.px(size::panel_padding), rest.min.y + ui.px(26)}};
    rest.min.y += ui.px(size::row_height);
    return line;
  };
  if (has_slice_steppers(inspected)) draw_slice_steppers(ui, inspected, next_line());
  if (ui.state.panels.get<CellFinder>().open) {
    draw_cell_finder(ui, inspected, next_line());
    inspected.selection.cell = ui.session.view.cell;
  }
  // Below thin cells stand the plot of a row and what a pixel holds.
  const float cell = rest.height() / static_cast<float>(inspected.matrix.dim(0));
  const bool plots = cell < ui.px(kThinCell) && inspected.matrix.dim(1) > kFewWords;
  draw_inspector_picture(ui, inspected, rest, plots ? ui.px(kBelowThin) : 0);
}

}  // namespace headscope::ui

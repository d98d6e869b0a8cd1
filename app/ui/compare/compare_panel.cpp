#include "app/ui/compare/compare_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.h"
#include "app/ui/data_versions.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/panels.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

// What outlives a frame of A's numbers.
PanelData& pinned_data(Ui& ui, const std::shared_ptr<const Trace>& pinned) {
  std::shared_ptr<PanelData>& data = ui.state.pinned_data;
  if (!data || data->shared_trace() != pinned) {
    std::uint64_t& made = ui.state.panels.get<DataVersions>().made;
    made += 1;
    data = std::make_shared<PanelData>(pinned, static_cast<std::uint64_t>(made), &ui.session.background);
  }
  return *data;
}

// Stages that one of both has; those that are shown by heads stand for those of the same numbers.
std::vector<StageId> stages_of(const Trace& a, const Trace& b) {
  std::vector<StageId> stages;
  for (const StageId id : all_stages()) {
    if (shown_by_heads(id) == id && (a.find(id) != nullptr || b.find(id) != nullptr)) stages.push_back(id);
  }
  return stages;
}

// The buttons at the right end of `line`: what becomes of A.
void draw_pin_buttons(Ui& ui, const CompareShown& shown, Rect& line) {
  const ControlState pins{true, false, "What is on screen becomes A (Ctrl+Shift+D)."};
  const bool pinned = !shown.without;
  if (pinned &&
      button(ui, "compare/unpin", take_right(line, ui.px(72), ui.px(6)), "Unpin", {true, false, "Lets A go."})) {
    ui.push(CommandId::unpin);
  }
  if (button(ui, "compare/pin", take_right(line, ui.px(pinned ? 104 : 150), ui.px(14)),
             pinned ? "Pin B as A" : "Pin this result as A", pins)) {
    ui.push(CommandId::pin);
  }
}

void draw_header(Ui& ui, const CompareShown& shown, const Rect& area) {
  const std::string fact =
      shown.without ? fmt::format("A is this run {}, B is this run", without_words(shown.b.trace(), *shown.without))
                    : "A is pinned, B follows what you edit";
  Rect line = panel_header(ui, area, "", fact);
  line.min.y = std::round(line.center().y - ui.px(12));
  line.max.y = line.min.y + ui.px(size::control_height);
  ViewState& view = ui.session.view;
  draw_pin_buttons(ui, shown, line);
  color_map_combo(ui, "compare/colormap", take_right(line, ui.px(92), ui.px(6)), is_weight_like(shown.selection.stage));
  std::int64_t head = shown.selection.head;
  const std::int64_t heads = std::max(shown.a.trace().num_heads(), shown.b.trace().num_heads());
  if (index_stepper(ui, "compare/head", take_right(line, ui.px(92), ui.px(6)), head, heads,
                    {true, false, "The head whose matrices are compared."})) {
    view.head = head;
  }
  const std::string label = "head";
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::words12, label)) + 1, ui.px(12)), Type::words12,
          ui.colors.text2, label, 1);
  const std::vector<StageId> stages = stages_of(shown.a.trace(), shown.b.trace());
  std::vector<std::string> names;
  int selected = 0;
  for (const StageId id : stages) {
    if (id == shown.selection.stage) selected = static_cast<int>(names.size());
    names.emplace_back(stage_name(id));
  }
  if (combo(ui, "compare/stage", take_right(line, ui.px(142), ui.px(12)), names, selected,
            {{true, false, "The tensor that is compared."}})) {
    const StageId chosen = stages[static_cast<std::size_t>(selected)];
    if (shown.without) ui.state.panels.get<CompareState>().own_stage = chosen;
    select_stage(view, chosen);
  }
}

// `waits`: what is being computed; "": nothing, so that a result has to be pinned first.
void draw_nothing_pinned(Ui& ui, const Rect& area, const std::string& waits) {
  panel_header(ui, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}}, "", "nothing is pinned");
  say_finding(ui, MainView::compare, waits.empty() ? "Nothing is pinned yet." : waits);
  const float left = area.min.x + ui.px(size::panel_padding), top = area.min.y + ui.px(size::panel_header + 14);
  const float right = std::min(area.max.x - ui.px(size::panel_padding), left + ui.px(560));
  const float height = paragraph(
      ui, {{left, top}, {right, top}}, Type::words13, ui.colors.text,
      "Pin the result on screen as A. Then change the phrase, the mask, a head, anything: every tensor of what you "
      "get, "
      "B, is shown beside A with the difference, and where it starts. A stays until it is unpinned or the window "
      "closes.");
  const Rect place{{left, std::round(top + height + ui.px(14))},
                   {left + ui.px(190), std::round(top + height + ui.px(14)) + ui.px(size::control_height)}};
  const bool ready = ui.session.trace() != nullptr;
  if (button(ui, "compare/pin", place, "Pin this result as A", {ready, false, "Ctrl+Shift+D does the same anywhere."},
             true)) {
    ui.push(CommandId::pin);
  }
}

}  // namespace

namespace {

// The stage that is shown beside the run without a head.
StageId stage_without_pin(Ui& ui) {
  return ui.state.panels.get<CompareState>().own_stage.value_or(StageId::output);
}

}  // namespace

std::optional<ResultPair> compared_pair(Ui& ui) {
  const ComparedSide a = compared_side(ui);
  if (a.trace == nullptr || !a.current) return std::nullopt;
  ResultPair pair{a.trace, ui.session.trace()};
  if (a.without) pair.stage = stage_without_pin(ui);
  if (pair.stage && pair.second->find(*pair.stage) == nullptr) pair.stage = std::nullopt;
  return pair;
}

void pin_result(Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  if (trace->preview) {
    ui.state.panels.get<CompareState>().pin_waits = true;
    return;
  }
  ui.state.panels.get<CompareState>().pin_waits = false;
  ui.session.pin();
}

void pin_when_exact(Ui& ui) {
  if (!ui.state.panels.get<CompareState>().pin_waits || ui.session.computing()) return;
  const bool refused = ui.session.problem() || !ui.session.failure().empty();
  if (ui.session.stale() && !refused) return;  // its turn is in the next frame
  if (!refused) pin_result(ui);
  if (!ui.state.edited_after_pin) return;
  ui.state.panels.get<CompareState>().pin_waits = false;
  ui.session.amend(*std::exchange(ui.state.edited_after_pin, std::nullopt));
  ui.wake_in(0);
}

void pin_then_edit(Ui& ui, const Request& b) {
  ui.state.panels.get<CompareState>().pin_waits = true;
  ui.state.edited_after_pin = b;
}

void unpin_result(Ui& ui) {
  ui.session.unpin();
  ui.state.pinned_data.reset();
}

void draw_compare_panel(Ui& ui, const Rect& area) {
  ui.mark("compare", area);
  const ComparedSide side = compared_side(ui);
  PanelData* const now = panel_data(ui);
  if (side.trace == nullptr || now == nullptr) return draw_nothing_pinned(ui, area, side.waits);
  PanelData& a = pinned_data(ui, side.trace);
  a.begin_frame(std::int64_t{1} << 22);
  CompareShown shown{a, *now, selection_of(ui.session.view, now->trace()), nullptr, false, side.without};
  // A stage that only A has can be looked at, too.
  const StageId wished = side.without ? stage_without_pin(ui) : ui.session.view.stage;
  if (now->trace().find(wished) != nullptr || side.trace->find(wished) != nullptr) shown.selection.stage = wished;
  shown.selection.stage = shown_by_heads(shown.selection.stage);
  if (!now->trace().preview && side.current) {
    const ComparisonQuery question{side.trace, now->shared_trace()};
    shown.comparison = ui.session.background.comparisons.want(question);
    shown.current = shown.comparison != nullptr && shown.comparison->question == question;
  }
  Rect rest = area;
  const float header = ui.px(size::panel_header);
  draw_header(ui, shown, {rest.min, {rest.max.x, rest.min.y + header}});
  rest.min.y += header;
  horizontal_line(ui, rest.min.x, rest.max.x, rest.min.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  const float lists = std::clamp(std::round(rest.height() * 0.44f), ui.px(190), ui.px(420));
  const float y = draw_compare_maps(ui, shown, rest, rest.height() - lists);
  const float edge = std::max(y, rest.max.y - lists);
  horizontal_line(ui, rest.min.x, rest.max.x, edge, ui.colors.line);
  draw_compare_lists(ui, shown, {{rest.min.x, edge + ui.px(1)}, rest.max});
  if (a.unfinished()) ui.wake_in(0);
}

}  // namespace headscope::ui

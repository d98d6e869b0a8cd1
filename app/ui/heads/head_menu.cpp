#include "app/ui/heads/head_menu.h"

#include <fmt/format.h>

#include "app/session/session.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/request/number_edit.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/intervention_kinds.h"

namespace headscope::ui {
namespace {

constexpr const char* kName = "head_menu";

// Then a line for each of multiplied_stages(), and the last: as computed.
enum Line { title, off, uniform, identity, factors };

Rect anchor_of(Ui& ui) {
  const ImVec2 at = ui.state.panels.get<HeadMenuState>().at;
  return {at, at};
}

void open_at(Ui& ui, const LayerHead& place, ImVec2 at) {
  ui.state.panels.get<HeadMenuState>() = {place, at, false};
  ui.state.open_combo = kName;
  ui.state.list_shown = true;
  ui.state.wants_frame = true;
}

std::vector<MenuLine> lines_of(const Ui& ui, const LayerHead& place) {
  const auto trace = ui.session.trace();
  const bool model = trace != nullptr && trace->model != nullptr;
  const bool computes = computes_heads(ui);
  const auto held = held_as(ui, place);
  const std::string head =
      model ? fmt::format("Layer {}, head {}", place.layer, place.head) : fmt::format("Head {}", place.head);
  std::vector<MenuLine> lines = {
      {head, computes ? "" : "captured", false},
      {"Switch off", "X", is_off(ui, place) || why_heads_stay(ui) == nullptr, is_off(ui, place), true},
      {"Hold weights uniform", "", computes, held == FrozenHead::As::uniform},
      {"Hold weights identity", "", computes, held == FrozenHead::As::identity}};
  bool changed = is_off(ui, place) || held;
  for (const StageId stage : multiplied_stages()) {
    const double factor = head_factor(ui, stage, place);
    lines.push_back({fmt::format("Multiply {}...", stage_name(stage)), fmt::format("× {}", factor), computes,
                     factor != 1, lines.size() == factors});
    changed = changed || factor != 1;
  }
  lines.push_back({"As computed", "", changed, false, true});
  return lines;
}

void execute_menu_line(Ui& ui, const LayerHead& place, int picked) {
  const auto hold = [&](FrozenHead::As as) {
    hold_head(ui, place, held_as(ui, place) == as ? std::nullopt : std::optional(as));
  };
  switch (picked) {
    case title:
      return;
    case off:
      return switch_head(ui, place);
    case uniform:
      return hold(FrozenHead::As::uniform);
    case identity:
      return hold(FrozenHead::As::identity);
    default:
      break;
  }
  const std::vector<StageId> stages = multiplied_stages();
  const auto k = static_cast<std::size_t>(picked - factors);
  if (k < stages.size()) return edit_factor(ui, stages[k], place, anchor_of(ui));
  leave_as_computed(ui, place);
}

}  // namespace

void open_head_menu(Ui& ui, const LayerHead& place) {
  open_at(ui, place, ImGui::GetIO().MousePos);
}

void ask_for_head_menu(Ui& ui) {
  if (ui.session.trace() == nullptr || ui.session.trace()->num_heads() < 1) return;
  ui.state.panels.get<HeadMenuState>().asked = true;
  ui.state.wants_frame = true;
}

void answer_head_menu(Ui& ui, const LayerHead& place, const Rect& picture) {
  if (ui.state.panels.get<HeadMenuState>().asked) open_at(ui, place, {picture.min.x, picture.max.y});
}

void draw_head_menu(Ui& ui) {
  const HeadMenuState& menu = ui.state.panels.get<HeadMenuState>();
  if (menu.asked) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    open_at(ui, {shown_layer(ui), ui.session.view.head}, {screen.x / 2, screen.y / 3});
  }
  if (const int picked = take_chosen(ui, kName); picked >= 0) execute_menu_line(ui, menu.place, picked);
  if (ui.state.open_combo == kName) {
    show_list(ui, kName, anchor_of(ui), lines_of(ui, menu.place), -1, Type::words12);
  }
}

}  // namespace headscope::ui

#include "app/ui/request/number_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/session/session.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/text_line.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/interventions.h"
#include "core/attention/model_trace.h"
#include "core/attention/stage_layout.h"
#include "core/request/intervention_list.h"

namespace headscope::ui {
namespace {

constexpr const char* kName = "number_edit";
constexpr const char* kValue = "number_edit/value";

using Factor = NumberEditState::Factor;

NumberEditState& state_of(const Ui& ui) {
  return ui.state.panels.get<NumberEditState>();
}

// Null: the field is of a number.
const Factor* factor_of(const Ui& ui) {
  return std::get_if<Factor>(&state_of(ui).edited);
}

std::string title_of(const Ui& ui) {
  if (const Factor* factor = factor_of(ui)) {
    return fmt::format("{} × of layer {}, head {}", stage_name(factor->stage), factor->place.layer, factor->place.head);
  }
  const auto& number = std::get<NumberEdit>(state_of(ui).edited);
  return fmt::format("{}[{}]", number.tensor, fmt::join(number.index, ", "));
}

// False when the text is no number that can stand there.
bool read_number(const Ui& ui, double& value) {
  if (!parse_number(state_of(ui).value, factor_of(ui) == nullptr, value)) return false;
  return !std::isfinite(value) || std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
}

void leave(Ui& ui) {
  ui.state.open_combo.clear();
  ui.state.focus = state_of(ui).focus_before;
  ui.state.editing.clear();
  ui.state.wants_frame = true;
}

bool apply(Ui& ui) {
  double value = 0;
  if (!read_number(ui, value)) return false;
  ui.session.end_undo_step();
  if (const Factor* factor = factor_of(ui)) {
    multiply_head(ui, factor->stage, factor->place, value);
    return true;
  }
  auto edit = std::get<NumberEdit>(state_of(ui).edited);
  edit.value = static_cast<float>(value);
  put_edit(ui.session.draft, edit);
  return true;
}

void draw_field(Ui& ui) {
  UiState& s = ui.state;
  if (s.open_combo != kName) return;
  s.list_shown = true;
  const std::string title = title_of(ui);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  NumberEditState& state = state_of(ui);
  const float width = std::max(ui.px(150), std::ceil(text_width(ui, Type::mono11, title)) + ui.px(20));
  const float height = ui.px(54);
  const float x = std::clamp(state.at.x, ui.px(4), std::max(ui.px(4), screen.x - width - ui.px(4)));
  const float y = std::clamp(state.at.y, ui.px(4), std::max(ui.px(4), screen.y - height - ui.px(4)));
  const Rect box{{std::round(x), std::round(y)}, {std::round(x + width), std::round(y + height)}};
  ui.mark(kName, box);
  fill(box, ui.colors.raised, ui.px(size::radius_field));
  outline(ui, box, ui.colors.edge, 1, ui.px(size::radius_field));
  const Rect line{{box.min.x + ui.px(10), box.min.y + ui.px(4)}, {box.max.x - ui.px(8), box.min.y + ui.px(22)}};
  text_in(ui, line, Type::mono11, ui.colors.text2, title);
  const Rect field{{box.min.x + ui.px(6), box.min.y + ui.px(24)}, {box.max.x - ui.px(6), box.min.y + ui.px(48)}};
  double value = 0;
  const char* hint = factor_of(ui) != nullptr ? "a number" : "a number, inf or -inf";
  text_field(ui, kValue, field, state.value, hint, {true, !read_number(ui, value), nullptr});
  if (ui.take_key(KeyName::escape)) return leave(ui);
  if (ui.take_key(KeyName::enter)) {
    if (apply(ui)) leave(ui);
    return;
  }
  const ImGuiIO& io = ImGui::GetIO();
  const bool pressed = io.MouseClicked[0] || io.MouseClicked[1];
  if (!state.just_opened && pressed && !box.contains(io.MousePos)) return leave(ui);
  state.just_opened = false;
}

void open_field(Ui& ui, std::variant<NumberEdit, Factor> edited, const std::string& value, const Rect& anchor) {
  UiState& s = ui.state;
  state_of(ui) = {.edited = std::move(edited),
                  .value = value,
                  .at = {anchor.min.x - ui.px(6), anchor.max.y + ui.px(4)},
                  .focus_before = s.focus,
                  .just_opened = true};
  s.panels.get<FocusedFields>().had_focus[kValue] = false;
  s.open_combo = kName;
  s.focus = kValue;
  s.focus_by_keyboard = true;
  s.list_shown = true;
  s.wants_frame = true;
}

}  // namespace

void edit_number(Ui& ui, const NumberEdit& place, double value, const Rect& anchor) {
  NumberEdit edit = place;
  edit.on = true;
  // The shortest decimals of the float32 that is there, not of the double beside it.
  const auto there = static_cast<float>(value);
  open_field(ui, edit, std::isfinite(value) ? fmt::format("{}", there) : plain_number(value), anchor);
}

void edit_factor(Ui& ui, StageId stage, const LayerHead& place, const Rect& anchor) {
  open_field(ui, Factor{stage, place}, plain_number(head_factor(ui, stage, place)), anchor);
}

void edit_cell(Ui& ui, const Trace& trace, StageId stage, const SlicePlace& at, const Rect& anchor) {
  if (trace.model != nullptr && trace.model->captured) return;
  const CellPlace place = place_of(trace, stage, at.batch, at.slice, at.cell);
  NumberEdit edit;
  edit.tensor = std::string(stage_name(stage));
  edit.index.assign(place.index.begin(), place.index.end());
  if (trace.model != nullptr) edit.layer = trace.inputs->layer;
  edit_number(ui, edit, static_cast<double>(trace.tensor(stage).at(place.index)), anchor);
}

void draw_number_edit(Ui& ui) {
  if (ui.state.open_combo == kName) ui.overlays.push_back(draw_field);
}

void draw_edited_corner(Ui& ui, Cell cell, const CellGrid& grid) {
  const Range rows = grid.row_range(), columns = grid.column_range();
  const bool seen =
      rows.begin <= cell.row && cell.row < rows.end && columns.begin <= cell.column && cell.column < columns.end;
  if (!seen) return;
  const Rect rect = grid.cell_rect(cell.row, cell.column);
  const float side = std::min({std::round(std::min(rect.width(), rect.height()) * 0.4f), ui.px(10), rect.width()});
  if (side < 2) return;
  ImDrawList& list = canvas();
  const float line = std::max(1.0f, ui.px(1));
  list.AddTriangleFilled(rect.min, {rect.min.x + side + line, rect.min.y}, {rect.min.x, rect.min.y + side + line},
                         color32(Rgba{0, 0, 0, 255}));
  list.AddTriangleFilled(rect.min, {rect.min.x + side, rect.min.y}, {rect.min.x, rect.min.y + side},
                         color32(Rgba{255, 255, 255, 255}));
}

void draw_edited_corners(Ui& ui, const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice,
                         const CellGrid& grid) {
  const MatrixLayout layout = stage_layout(stage);
  for (const NumberEdit& edit : edits_of(trace.request, trace.inputs->layer, stage)) {
    const auto at = [&](int axis) { return edit.index[static_cast<std::size_t>(axis)]; };
    if (at(layout.batch) != batch || (layout.head >= 0 && at(layout.head) != slice)) continue;
    draw_edited_corner(ui, {at(layout.rows), at(layout.columns)}, grid);
  }
}

}  // namespace headscope::ui

#include "app/ui/request/number_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/session/session.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/widgets/text_line.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/interventions.h"
#include "core/attention/model_trace.h"
#include "core/attention/stage_layout.h"
#include "core/request/intervention_kinds.h"
#include "core/request/intervention_list.h"
#include "core/request/request_text.h"

namespace headscope::ui {
namespace {

constexpr const char* kName = "number_edit";
constexpr const char* kValue = "number_edit/value";
constexpr const char* kPlace = "number_edit/place";
constexpr const char* kBack = "number_edit/back";

// In the place of the place, for factors: "query ×".
std::string factor_name(StageId stage) {
  return fmt::format("{} ×", stage_name(stage));
}

std::vector<std::int64_t> index_of(StageId stage, int rank, std::int64_t batch, std::int64_t slice, Cell cell) {
  const MatrixLayout layout = stage_layout(stage);
  std::vector<std::int64_t> index(static_cast<std::size_t>(rank), 0);
  const auto at = [&](int axis) -> std::int64_t& { return index[static_cast<std::size_t>(axis)]; };
  at(layout.batch) = batch;
  if (layout.head >= 0) at(layout.head) = slice;
  at(layout.rows) = cell.row;
  at(layout.columns) = cell.column;
  return index;
}

// What was kept of the place while the field is open: one number of a tensor, or the factor of a head.
NumberEdit place_of(const Ui& ui) {
  Request request;
  find_request_option("edit")->set(request, ui.state.text.at(kPlace));
  return request.edits.at(0);
}

// The stage that a factor multiplies; nothing: the field is of a number.
std::optional<StageId> multiplied_stage(const Ui& ui) {
  for (const StageId stage : multiplied_stages()) {
    if (ui.state.text.at(kPlace) == factor_name(stage)) return stage;
  }
  return std::nullopt;
}

LayerHead head_of(const Ui& ui) {
  return {static_cast<std::int64_t>(ui.state.number.at("number_edit/layer")),
          static_cast<std::int64_t>(ui.state.number.at("number_edit/head"))};
}

std::string title_of(const Ui& ui) {
  if (const auto stage = multiplied_stage(ui)) {
    return fmt::format("{} of layer {}, head {}", factor_name(*stage), head_of(ui).layer, head_of(ui).head);
  }
  const NumberEdit place = place_of(ui);
  return fmt::format("{}[{}]", place.tensor, fmt::join(place.index, ", "));
}

// False when the text is no number that can stand there.
bool read_number(const Ui& ui, double& value) {
  if (!parse_number(ui.state.text.at(kValue), !multiplied_stage(ui), value)) return false;
  return !std::isfinite(value) || std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
}

void leave(Ui& ui) {
  ui.state.open_combo.clear();
  ui.state.focus = ui.state.text[kBack];
  ui.state.editing.clear();
  ui.state.wants_frame = true;
}

bool apply(Ui& ui) {
  double value = 0;
  if (!read_number(ui, value)) return false;
  ui.session.end_undo_step();
  if (const auto stage = multiplied_stage(ui)) {
    multiply_head(ui, *stage, head_of(ui), value);
    return true;
  }
  NumberEdit edit = place_of(ui);
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
  const ImVec2 at{static_cast<float>(s.number["number_edit/x"]), static_cast<float>(s.number["number_edit/y"])};
  const float width = std::max(ui.px(150), std::ceil(text_width(ui, Type::mono11, title)) + ui.px(20));
  const float height = ui.px(54);
  const float x = std::clamp(at.x, ui.px(4), std::max(ui.px(4), screen.x - width - ui.px(4)));
  const float y = std::clamp(at.y, ui.px(4), std::max(ui.px(4), screen.y - height - ui.px(4)));
  const Rect box{{std::round(x), std::round(y)}, {std::round(x + width), std::round(y + height)}};
  ui.mark(kName, box);
  fill(box, ui.colors.raised, ui.px(size::radius_field));
  outline(ui, box, ui.colors.edge, 1, ui.px(size::radius_field));
  const Rect line{{box.min.x + ui.px(10), box.min.y + ui.px(4)}, {box.max.x - ui.px(8), box.min.y + ui.px(22)}};
  text_in(ui, line, Type::mono11, ui.colors.text2, title);
  const Rect field{{box.min.x + ui.px(6), box.min.y + ui.px(24)}, {box.max.x - ui.px(6), box.min.y + ui.px(48)}};
  double value = 0;
  const char* hint = multiplied_stage(ui) ? "a number" : "a number, inf or -inf";
  text_field(ui, kValue, field, s.text[kValue], hint, {true, !read_number(ui, value), nullptr});
  if (ui.take_key(KeyName::escape)) return leave(ui);
  if (ui.take_key(KeyName::enter)) {
    if (apply(ui)) leave(ui);
    return;
  }
  // The click that opened it is none that leaves it.
  double& just_opened = s.number["number_edit/opened"];
  const ImGuiIO& io = ImGui::GetIO();
  if (just_opened == 0 && (io.MouseClicked[0] || io.MouseClicked[1]) && !box.contains(io.MousePos)) return leave(ui);
  just_opened = 0;
}

void open_field(Ui& ui, const std::string& place, const std::string& value, const Rect& anchor) {
  UiState& s = ui.state;
  s.text[kPlace] = place;
  s.text[kValue] = value;
  s.text[kBack] = s.focus;
  s.number["number_edit/x"] = static_cast<double>(anchor.min.x - ui.px(6));
  s.number["number_edit/y"] = static_cast<double>(anchor.max.y + ui.px(4));
  s.number[std::string(kValue) + "/focused"] = 0;
  s.number["number_edit/opened"] = 1;
  s.open_combo = kName;
  s.focus = kValue;
  s.focus_by_keyboard = true;
  s.list_shown = true;
  s.wants_frame = true;
}

}  // namespace

void edit_number(Ui& ui, const NumberEdit& place, double value, const Rect& anchor) {
  NumberEdit blank = place;
  blank.value = 0;
  blank.on = true;
  // The shortest decimals of the float32 that is there, not of the double beside it.
  const auto there = static_cast<float>(value);
  open_field(ui, term_text(blank), std::isfinite(value) ? fmt::format("{}", there) : plain_number(value), anchor);
}

void edit_factor(Ui& ui, StageId stage, const LayerHead& place, const Rect& anchor) {
  ui.state.number["number_edit/layer"] = static_cast<double>(place.layer);
  ui.state.number["number_edit/head"] = static_cast<double>(place.head);
  open_field(ui, factor_name(stage), plain_number(head_factor(ui, stage, place)), anchor);
}

void edit_cell(Ui& ui, const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice, Cell cell,
               const Rect& anchor) {
  if (trace.model != nullptr && trace.model->captured) return;
  const Tensor& tensor = trace.tensor(stage);
  NumberEdit place;
  place.tensor = std::string(stage_name(stage));
  place.index = index_of(stage, tensor.rank(), batch, slice, cell);
  if (trace.model != nullptr) place.layer = trace.inputs->layer;
  Index index;
  for (const std::int64_t at : place.index) index.push_back(at);
  edit_number(ui, place, static_cast<double>(tensor.at(index)), anchor);
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

#include "app/ui/map/explain_state.h"

#include <algorithm>
#include <utility>

#include "app/session/session.h"
#include "app/ui/widgets/control_states.h"
#include "core/explain/cell_origin.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostBack = 200;

ExplainPlace current_place(Ui& ui, const Trace& trace) {
  return {picked_place(ui.session.view, trace), file_place(ui, trace)};
}

void remember(std::vector<ExplainPlace>& list, const ExplainPlace& place) {
  if (!list.empty() && list.back() == place) return;
  list.push_back(place);
  if (list.size() > kMostBack) list.erase(list.begin());
}

void show(Ui& ui, const Trace& trace, const ExplainPlace& place) {
  ExplainState& state = explain_state(ui);
  if (place.cell) show_place(ui.session.view, trace, *place.cell);
  state.file = place.file;
  state.file_over = place.cell;
  ui.state.panels.get<ScrollOffsets>().down["inspector"] = 0;
  ui.state.wants_frame = true;
}

// Whether the cell that it was reached from reads that number: another model may have a smaller tensor of its name.
bool is_read(const Trace& trace, const FilePlace& place) {
  if (!is_inside(trace, place.from)) return false;
  const auto holds = [&](const CellSource& source) {
    if (source.stage || source.name != place.name || source.region.count != place.index.count) return false;
    for (int axis = 0; axis < place.index.count; ++axis) {
      const Range& range = source.region[axis];
      if (place.index[axis] < range.begin || place.index[axis] >= range.end) return false;
    }
    return true;
  };
  const CellOrigin origin = sources_of(trace, place.from.stage, place.from.index);
  return std::any_of(origin.sources.begin(), origin.sources.end(), holds);
}

bool exists(const Trace& trace, const ExplainPlace& place) {
  return place.cell && is_inside(trace, *place.cell) && (!place.file || is_read(trace, *place.file));
}

void jump(Ui& ui, const Trace& trace, const ExplainPlace& to, const CellPlace& from) {
  ExplainState& state = explain_state(ui);
  ExplainPlace left = current_place(ui, trace);
  if (!left.cell) left.cell = from;  // shown without being picked
  remember(state.back, left);
  state.forward.clear();
  show(ui, trace, to);
}

}  // namespace

ExplainState& explain_state(Ui& ui) {
  if (!ui.state.explain) ui.state.explain = std::make_shared<ExplainState>();
  return *ui.state.explain;
}

void begin_explain_frame(Ui& ui) {
  ExplainState& state = explain_state(ui);
  state.pointed = std::exchange(state.next_pointed, std::nullopt);
  const ImGuiIO& io = ImGui::GetIO();
  const auto walks = [](const KeyEvent& event) {
    return event.key == KeyName::up || event.key == KeyName::down || event.key == KeyName::left ||
           event.key == KeyName::right;
  };
  if (std::any_of(ui.input.keys.begin(), ui.input.keys.end(), walks)) state.by_mouse = false;
  const bool moved = io.MousePos.x != state.mouse_x || io.MousePos.y != state.mouse_y;
  if (moved || io.MouseClicked[0]) state.by_mouse = true;
  state.mouse_x = io.MousePos.x;
  state.mouse_y = io.MousePos.y;
}

std::optional<CellPlace> picked_place(const ViewState& view, const Trace& trace) {
  if (trace.stages.empty()) return std::nullopt;
  const Selection selection = selection_of(view, trace);
  if (!selection.cell) return std::nullopt;
  return place_of(trace, selection.stage, selection.batch, slice_of_head(trace, selection.stage, selection.head),
                  *selection.cell);
}

std::optional<FilePlace> file_place(Ui& ui, const Trace& trace) {
  ExplainState& state = explain_state(ui);
  if (!state.file) return std::nullopt;
  if (state.file_over != picked_place(ui.session.view, trace) || !is_read(trace, *state.file)) {
    state.file.reset();
  }
  return state.file;
}

void jump_to_operand(Ui& ui, const Trace& trace, const Operand& operand, const CellPlace& from) {
  if (const std::optional<StageId> stage = stage_named(operand.stage); stage && trace.find(*stage) != nullptr) {
    return jump_to_cell(ui, trace, {*stage, operand.index}, from);
  }
  jump(ui, trace, {from, FilePlace{operand.stage, operand.index, from}}, from);
}

void jump_to_cell(Ui& ui, const Trace& trace, const CellPlace& to, const CellPlace& from) {
  if (is_inside(trace, to)) jump(ui, trace, {to, std::nullopt}, from);
}

bool can_go(Ui& ui, bool back) {
  const ExplainState& state = explain_state(ui);
  return !(back ? state.back : state.forward).empty();
}

void go_back_or_forward(Ui& ui, bool back) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  ExplainState& state = explain_state(ui);
  std::vector<ExplainPlace>& from = back ? state.back : state.forward;
  std::vector<ExplainPlace>& to = back ? state.forward : state.back;
  while (!from.empty() && !exists(*trace, from.back())) from.pop_back();
  if (from.empty()) return;
  const ExplainPlace place = from.back();
  from.pop_back();
  if (const ExplainPlace now = current_place(ui, *trace); now.cell) remember(to, now);
  show(ui, *trace, place);
}

std::optional<CellPlace> linked_cell(Ui& ui, const Trace& trace) {
  if (ui.state.hover.cell && is_inside(trace, *ui.state.hover.cell)) return ui.state.hover.cell;
  return picked_place(ui.session.view, trace);
}

const std::vector<LinkedCells>& linked_now(Ui& ui, PanelData& data) {
  ExplainState& state = explain_state(ui);
  const std::optional<CellPlace> cell = linked_cell(ui, data.trace());
  if (state.linked_version == data.version() && state.linked_to == cell) return state.linked;
  state.linked_version = data.version();
  state.linked_to = cell;
  state.linked = cell ? linked_cells(data.trace(), cell->stage, cell->index) : std::vector<LinkedCells>();
  return state.linked;
}

}  // namespace headscope::ui

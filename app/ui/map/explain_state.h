// What 'Where this number comes from' remembers between frames: the way that one has jumped, a cell of the weights file
// that is looked at, and the cells that are linked to the one under the mouse.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/map/cell_places.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"
#include "core/explain/explain.h"

namespace headscope::ui {

// A cell of a tensor of the weights file, reached from a cell that it makes.
struct FilePlace {
  std::string name;
  Index index;
  CellPlace from;
  friend bool operator==(const FilePlace&, const FilePlace&) = default;
};

// Where one is: a cell of a stage, or of the weights file over it.
struct ExplainPlace {
  std::optional<CellPlace> cell;
  std::optional<FilePlace> file;
  friend bool operator==(const ExplainPlace&, const ExplainPlace&) = default;
};

// What the mouse is over in the explanation, or what a view that has cells of its own points at, for Ctrl+C.
struct PointedText {
  std::string cell;
  std::function<std::string()> row, matrix;
  bool by_key = false;  // also when the keys were used last
};

struct ExplainState {
  std::vector<ExplainPlace> back, forward;
  std::optional<FilePlace> file;  // shown while `file_over` is the picked cell
  std::optional<CellPlace> file_over;
  std::optional<PointedText> pointed, next_pointed;  // of this frame, and being gathered for the next
  float mouse_x = -1, mouse_y = -1;                  // of the last frame
  // The numbers around the cell of the weights file that is looked at.
  std::optional<FilePlace> window_of;
  std::uint64_t window_version = 0;
  Tensor window;
  // The linked cells of the last frame that asked.
  std::uint64_t linked_version = 0;
  std::optional<CellPlace> linked_to;
  std::vector<LinkedCells> linked;
};
ExplainState& explain_state(Ui& ui);

// Once, before a frame is drawn: what the mouse is over becomes what the last frame found there, and whether mouse or
// keys were used last is remembered (under kByMouse).
void begin_explain_frame(Ui& ui);
constexpr const char* kByMouse = "cursor/by_mouse";

// The picked cell of the view, in the trace; nothing when none is picked.
std::optional<CellPlace> picked_place(const ViewState& view, const Trace& trace);

// The cell of the weights file that is looked at; nothing when another cell was picked meanwhile.
std::optional<FilePlace> file_place(Ui& ui, const Trace& trace);

// Goes to an operand of `from`: the cell of its stage, or the tensor of the weights file. Back returns to `from`.
void jump_to_operand(Ui& ui, const Trace& trace, const Operand& operand, const CellPlace& from);
void jump_to_cell(Ui& ui, const Trace& trace, const CellPlace& to, const CellPlace& from);
bool can_go(Ui& ui, bool back);
// Alt+Left and Alt+Right: places that the trace no longer has are passed over.
void go_back_or_forward(Ui& ui, bool back);

// The cells that belong to the one under the mouse, else to the picked one. Empty when there is neither.
const std::vector<LinkedCells>& linked_now(Ui& ui, PanelData& data);
// The cell that linked_now() speaks of.
std::optional<CellPlace> linked_cell(Ui& ui, const Trace& trace);

}  // namespace headscope::ui

// The state of 'Where this number comes from' between frames: the history of jumps, the shown cell of the weights file,
// and the cells that are linked to the one under the mouse.
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

// A cell of a tensor of the weights file, reached from the cell `from`, which is computed from it.
struct FilePlace {
  std::string name;
  Index index;
  CellPlace from;
  friend bool operator==(const FilePlace&, const FilePlace&) = default;
};

// A place in the history: a cell of a stage, and a cell of the weights file when that is shown over it.
struct ExplainPlace {
  std::optional<CellPlace> cell;
  std::optional<FilePlace> file;
  friend bool operator==(const ExplainPlace&, const ExplainPlace&) = default;
};

// The texts that Ctrl+C copies: of the place under the mouse in the explanation, or of a cell in a view with cells of
// its own.
struct PointedText {
  std::string cell;
  std::function<std::string()> row, matrix;
  bool by_key = false;  // also used when the keyboard was used last
};

struct ExplainState {
  std::vector<ExplainPlace> back, forward;
  std::optional<FilePlace> file;  // shown while `file_over` is the picked cell
  std::optional<CellPlace> file_over;
  std::optional<PointedText> pointed, next_pointed;  // of this frame; and the one being set for the next frame
  bool by_mouse = false;                             // the mouse was used last, not the arrow keys
  float mouse_x = -1, mouse_y = -1;                  // of the last frame
  // The numbers around the shown cell of the weights file.
  std::optional<FilePlace> window_of;
  std::uint64_t window_version = 0;
  Tensor window;
  // The result of the last linked_now().
  std::uint64_t linked_version = 0;
  std::optional<CellPlace> linked_to;
  std::vector<LinkedCells> linked;
};
ExplainState& explain_state(Ui& ui);

// Call it once before a frame is drawn: takes over the place under the mouse that the last frame found, and stores
// whether mouse or keyboard was used last.
void begin_explain_frame(Ui& ui);

// The picked cell of the view, in the trace; nullopt when none is picked.
std::optional<CellPlace> picked_place(const ViewState& view, const Trace& trace);

// The shown cell of the weights file; nullopt when there is none or another cell was picked since.
std::optional<FilePlace> file_place(Ui& ui, const Trace& trace);

// Goes to an operand of `from`: the cell of its stage, or of a tensor of the weights file. Going back returns to
// `from`.
void jump_to_operand(Ui& ui, const Trace& trace, const Operand& operand, const CellPlace& from);
void jump_to_cell(Ui& ui, const Trace& trace, const CellPlace& to, const CellPlace& from);
bool can_go(Ui& ui, bool back);
// Alt+Left and Alt+Right: places that the trace no longer has are skipped.
void go_back_or_forward(Ui& ui, bool back);

// The cells that are linked to the one under the mouse, else to the picked one. Empty when there is neither.
const std::vector<LinkedCells>& linked_now(Ui& ui, PanelData& data);
// The cell whose links linked_now() returns; nullopt when there is none.
std::optional<CellPlace> linked_cell(Ui& ui, const Trace& trace);

}  // namespace headscope::ui

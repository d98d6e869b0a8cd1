// Converts between a cell's index in its stage and its slice, row and column on screen; and describes a cell in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "app/ui/panel_data.h"
#include "core/attention/trace.h"
#include "core/explain/cell_place.h"
#include "core/explain/linked_cells.h"

namespace headscope::ui {

// stage[batch, slice, row, column] in the stage's own axes; `slice` is a head, a kv head, or 0.
CellPlace place_of(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice, Cell cell);
bool is_inside(const Trace& trace, const CellPlace& place);

// The matrix that shows a place, and the cell in it.
struct SlicePlace {
  std::int64_t batch = 0, slice = 0;
  Cell cell;
};
SlicePlace slice_place(const CellPlace& place);

// Makes the view show the place: stage, batch, a head that has the slice (if possible the chosen one), the picked cell.
// A zoomed picture without the cell is zoomed out to fit.
void show_place(ViewState& view, const Trace& trace, const CellPlace& place);

// Rows and columns of a matrix.
struct CellRange {
  Range rows, columns;
  friend bool operator==(const CellRange&, const CellRange&) = default;
};
// The parts of `linked` inside the matrix of that slice.
std::vector<CellRange> ranges_in(const std::vector<LinkedCells>& linked, const Trace& trace, StageId stage,
                                 std::int64_t batch, std::int64_t slice);

// The query and key position of a cell: its row and column, or, for concat, the token that its number came from; -1:
// none.
struct TokenPair {
  std::int64_t query = -1, key = -1;
};
TokenPair tokens_of(const Trace& trace, const CellPlace& place);

enum class TextRole { plain, strong, query, key, value, link };
struct RoleText {
  std::string text;
  TextRole role = TextRole::plain;
};
Rgba role_color(const Ui& ui, TextRole role);

// "token it · column 17 = head 2, feature 1".
std::vector<RoleText> cell_words(PanelData& data, const CellPlace& place);

}  // namespace headscope::ui

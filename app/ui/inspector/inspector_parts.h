// The inspector's parts, one file each; inspector.cpp puts them together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/explain/explanation.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What the inspector shows in this frame.
struct Inspected {
  PanelData& data;
  Selection selection;
  StageId stage = StageId::weights;
  std::int64_t batch = 0, slice = 0, slices = 1;  // slice: head, kv head, or 0
  Tensor matrix;                                  // [rows, columns] of that slice
  bool score_like = true, weight_like = true;
  const std::vector<std::string>& rows;     // names; may be shorter than the matrix
  const std::vector<std::string>& columns;  // empty: features
  ColorMap map = ColorMap::viridis;
  ValueRange range;
  std::optional<Cell> shown;  // what readout and explanation speak of: hovered, else picked, else the strongest link
  bool is_strongest = false;
};
Inspected inspected_of(Ui& ui, PanelData& data);

// inspector_picture.cpp: labels, heatmap, colour bar, profiles, and the readout below; returns the y below them.
// `body` is what the parts below need at least. Edits the view (cell, viewport) and fills state.next_hover.
float draw_inspector_picture(Ui& ui, Inspected& inspected, const Rect& area, float body);

// What the explanation speaks of: the shown cell; of a large map only the picked one, whose row is read for it.
std::optional<Explained> explained_of(const Inspected& inspected);

// inspector_statistics.cpp: shape, min ... inf of the stage and of the slice; histogram of the slice.
float statistics_height(Ui& ui, const Inspected& inspected);
void draw_statistics(Ui& ui, const Inspected& inspected, const Rect& area);

// inspector_numbers.cpp: the numbers of the slice as a table; only what lies inside `visible` is drawn.
float numbers_height(Ui& ui, const Inspected& inspected);
void draw_numbers_table(Ui& ui, const Inspected& inspected, const Rect& area, const Rect& visible);

// More numbers than this are for a file.
constexpr std::int64_t kMostCopiedNumbers = std::int64_t{4} << 20;
// Asks for the matrix on the clipboard, or says that it is too large.
void copy_matrix(Ui& ui, const Inspected& inspected);

// "weights[0, 2, 7, 1]": the cell in the tensor's own axes.
std::string cell_address(const Inspected& inspected, Cell cell);

// The name of a section with what stands at its right; returns the rectangle left for buttons.
Rect section_title(Ui& ui, const Rect& line, const std::string& title, const std::string& fact);

}  // namespace headscope::ui

// The inspector's parts, one file each; inspector.cpp puts them together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/explain/explanation.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// So few words have bars beside the picture: a plot of a row says no more.
constexpr std::int64_t kFewWords = 32;

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
  std::optional<Cell> shown;  // the cell of readout and explanation: hovered, else picked, else the strongest arc
  bool is_strongest = false;
};
Inspected inspected_of(Ui& ui, PanelData& data);

// inspector_header.cpp: what the picture shows, in a title and a fact; the line of both with its buttons.
std::string inspected_title(const Inspected& inspected);
std::string inspected_fact(const Inspected& inspected);
void draw_inspector_header(Ui& ui, const Inspected& inspected, const Rect& area);
// Makes the fact answer to the mouse where it is a term of the glossary; `behind` is the rest of the line behind it.
void explain_fact(Ui& ui, const std::string& fact, const Rect& behind);
// Where a tensor has several slices that no head of the row of heads stands for: batch and head, as steppers.
bool has_slice_steppers(const Inspected& inspected);
void draw_slice_steppers(Ui& ui, const Inspected& inspected, const Rect& line);

// inspector_large.cpp: the picture with all that is around it, in the heads' place. `with_stage`: a list of the stages
// stands beside its title, because nothing else names them.
void draw_large_picture(Ui& ui, PanelData& data, const Rect& area, bool with_stage);

// inspector_picture.cpp: labels, heatmap, colour bar, axis plots, and the readout below; returns the y below them.
// `body`: the least height that the parts below need. Edits the view (cell, viewport) and fills state.next_hover.
float draw_inspector_picture(Ui& ui, Inspected& inspected, const Rect& area, float body);

// The cell of readout and explanation after this frame's input: hovered here or in another panel, else picked.
void choose_linked(const Ui& ui, Inspected& inspected, const std::optional<Cell>& hovered = std::nullopt);

// inspector_readout.cpp: the lines below the picture. `large`: of a map with a choice of pooling.
float picture_lines_height(const Ui& ui, bool large);
// From the top of `area` on: what a pixel holds (`holds`; "": a number or less), the pooling of a large map, the shown
// cell. Returns the y below them.
float draw_picture_lines(Ui& ui, const Inspected& inspected, const HeatmapView& view, const std::string& holds,
                         const Rect& area);

// The cell of the explanation: the shown one; for a large map only the picked one, because explaining reads its row.
// nullopt: none.
std::optional<Explained> explained_of(const Inspected& inspected);

// inspector_statistics.cpp: shape, min ... inf of the stage and of the slice; histogram of the slice.
float statistics_height(Ui& ui, const Inspected& inspected);
void draw_statistics(Ui& ui, const Inspected& inspected, const Rect& area);

// inspector_cost.cpp: what the stage takes, folded to one line until it is opened; 0 high where nothing can be counted.
// `width`: of the area, on which the height of formulas depends.
float cost_height(Ui& ui, const Inspected& inspected, float width);
void draw_cost(Ui& ui, const Inspected& inspected, const Rect& area);

// inspector_numbers.cpp: the numbers of the slice as a table; only the part inside `visible` is drawn.
float numbers_height(Ui& ui, const Inspected& inspected);
void draw_numbers_table(Ui& ui, const Inspected& inspected, const Rect& area, const Rect& visible);

// Up to this many numbers can be copied to the clipboard; more must be exported to a file.
constexpr std::int64_t kMostCopiedNumbers = std::int64_t{4} << 20;
// Copies the matrix to the clipboard, or shows a notice that it is too large.
void copy_matrix(Ui& ui, const Inspected& inspected);

// "weights[0, 2, 7, 1]": the cell in the tensor's own axes.
std::string cell_address(const Inspected& inspected, Cell cell);

// The title of a section with a fact at its right; returns the rectangle that is left for buttons.
Rect section_title(Ui& ui, const Rect& line, const std::string& title, const std::string& fact);

}  // namespace headscope::ui

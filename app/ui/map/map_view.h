// Heatmaps of large matrices: drawn from the tiles that the session's worker makes, and what is said beside them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/session/background/map_tiles.h"
#include "app/ui/map/cell_grid.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct HeatmapView;

// A large matrix, and what is there of its picture in this frame.
struct LargeMap {
  MapKey key;
  PyramidSource source;
  Pooling pooling = Pooling::max;
  std::shared_ptr<const MapPicture> whole;   // all of it, at some distance; null: nothing yet
  std::shared_ptr<const MapPicture> detail;  // what the grid shows, at its distance; may be the same
  std::string failure;
  bool only_coarse = false;  // the exact picture is computed when the inspector shows it
};

// Asks the worker for what `grid` shows of the map (after zooming and panning) and fills in what is there. `fitted` is
// the grid without zoom: the whole at its distance lies beneath and comes first. Of all maps in sight those of lower
// `order` are computed first.
void look_at_map(Ui& ui, LargeMap& map, const CellGrid& fitted, const CellGrid& grid, int order);

// Draws what there is; the rest is `well`. `spec` says everything but the matrix, the mask and the part that is seen.
void draw_map(Ui& ui, const LargeMap& map, const CellGrid& grid, const HeatmapSpec& spec);

// The cell shown by the pixel under `point`: the one that the worker found, the middle of the pixel until then.
std::optional<Cell> shown_map_cell(Ui& ui, const LargeMap& map, const CellGrid& grid, ImVec2 point);

// One cell as the pictures have it, exact: nothing while there is none with single cells there.
struct ExactCells {
  Tensor matrix;
  std::shared_ptr<const Mask> mask;
  std::shared_ptr<const DevicePicture> device;  // as MapPicture has it
  std::int64_t row0 = 0, column0 = 0;
};
std::optional<ExactCells> exact_cells(const LargeMap& map, const CellGrid& grid);

// The number of one cell: read where that costs little, else of a picture that has it. Nothing when neither does.
std::optional<double> cell_value(const Tensor& matrix, bool score_like, const LargeMap* map, const CellGrid& grid,
                                 Cell cell);

// What each pixel along the row (or column) through `cell` shows, left to right (top to bottom); 0 where hidden or not
// yet known.
std::vector<float> map_axis_plot(const LargeMap& map, const CellGrid& grid, Cell cell, bool along_row);

// Whether every pixel in sight is made of all its cells.
bool is_exact(const LargeMap& map, const CellGrid& grid);

// "max of 48 × 48 cells a pixel, coarse: 1 of 32 rows so far", "mean of 8 × 8 cells a pixel, refining 40 %"; "" when
// every pixel is one cell and exact.
std::string map_sentence(const LargeMap& map, const CellGrid& grid);

}  // namespace headscope::ui

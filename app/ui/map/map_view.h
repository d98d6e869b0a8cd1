// Heatmaps of large matrices: drawn from the tiles that the session's worker makes; and the texts about them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/maps/map_tiles.h"
#include "app/ui/map/cell_grid.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// A large matrix, and the pictures of it that exist in this frame.
struct LargeMap {
  MapKey key;
  PyramidSource source;
  Pooling pooling = Pooling::max;
  std::shared_ptr<const MapPicture> whole;   // all of the matrix, at some zoom; null: none yet
  std::shared_ptr<const MapPicture> detail;  // the part that the grid shows, at its zoom; null: none yet
  std::string failure;
  bool only_coarse = false;  // the exact picture is computed only when the inspector shows it
};

// The map of a slice of a stage, without pictures yet; nullopt when it is small enough to be read within a frame.
std::optional<LargeMap> large_map_of(PanelData& data, StageId stage, std::int64_t batch, std::int64_t slice,
                                     Pooling pooling);

// Requests from the worker the part of the map that `grid` shows (after zooming and panning) and fills in the pictures
// that exist. `fitted` is the grid without zoom: its picture of the whole is drawn below and made first. Of all visible
// maps those of lower `order` are computed first.
void look_at_map(Ui& ui, LargeMap& map, const CellGrid& fitted, const CellGrid& grid, int order);

// Draws the parts that exist; the rest has the colour `well`. `spec` has all settings but the matrix, the mask and the
// visible part.
void draw_map(Ui& ui, const LargeMap& map, const CellGrid& grid, const HeatmapSpec& spec);

// The cell shown by the pixel under `point`: the one that the worker found; until then the cell in the middle of the
// pixel; nullopt outside.
std::optional<Cell> shown_map_cell(Ui& ui, const LargeMap& map, const CellGrid& grid, ImVec2 point);

// The exact cells of a part of the matrix, from a picture; exact_cells() is nullopt until a picture with single cells
// of the visible part exists.
struct ExactCells {
  Tensor matrix;
  std::shared_ptr<const Mask> mask;
  std::shared_ptr<const DevicePicture> device;  // as in MapPicture
  std::int64_t row0 = 0, column0 = 0;
};
std::optional<ExactCells> exact_cells(const LargeMap& map, const CellGrid& grid);

// The number of one cell: read when that is cheap, else taken from a picture that has it; nullopt when neither is
// possible.
std::optional<double> cell_value(const Tensor& matrix, bool score_like, const LargeMap* map, const CellGrid& grid,
                                 Cell cell);

// The value of each pixel along the row (or column) through `cell`, left to right (top to bottom); 0 where hidden or
// not yet known.
std::vector<float> map_axis_plot(const LargeMap& map, const CellGrid& grid, Cell cell, bool along_row);

// Whether every visible pixel is made of all its cells.
bool is_exact(const LargeMap& map, const CellGrid& grid);

// "max of 48 × 48 cells a pixel, coarse: 1 of 32 rows so far", "mean of 8 × 8 cells a pixel, refining 40 %"; "" when
// every pixel is one cell and exact.
std::string map_sentence(const LargeMap& map, const CellGrid& grid);
// The same of several maps with the same cells, which are as exact as the worst of them: "mean of 8 × 8 cells a pixel,
// 3 of 8 exact, refining 40 %", the share of all.
std::string maps_sentence(const std::vector<LargeMap>& maps, const CellGrid& grid);

}  // namespace headscope::ui

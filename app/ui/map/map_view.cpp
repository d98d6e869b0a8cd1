#include "app/ui/map/map_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/tensor/parts.h"

namespace headscope::ui {
namespace {

// The part of a picture that the grid shows, and where: whole pixels of the screen.
void draw_picture(Ui& ui, const MapPicture& picture, const CellGrid& grid, HeatmapSpec spec) {
  const PixelCells cells = picture.query.cells;
  const auto seen = [](Range covered, std::int64_t a_pixel, double start, double visible) {
    const auto begin = static_cast<double>(covered.begin);
    // A last pixel of fewer cells is as large as the others.
    const auto end = static_cast<double>(covered.begin + rounded_up(covered.size(), a_pixel));
    return std::pair{std::max(start, begin), std::min(start + visible, end)};
  };
  const auto [top, bottom] = seen(picture.rows, cells.rows, grid.row0, grid.visible_rows());
  const auto [left, right] = seen(picture.query.columns, cells.columns, grid.column0, grid.visible_columns());
  const auto pixel = [](double at, double start, double cell) {
    return static_cast<float>(std::round((at - start) * cell));
  };
  const Rect place{{grid.area.min.x + pixel(left, grid.column0, grid.cell_width),
                    grid.area.min.y + pixel(top, grid.row0, grid.cell_height)},
                   {grid.area.min.x + pixel(right, grid.column0, grid.cell_width),
                    grid.area.min.y + pixel(bottom, grid.row0, grid.cell_height)}};
  if (place.width() < 1 || place.height() < 1) return;
  spec.matrix = picture.matrix;
  spec.mask = picture.mask;
  spec.device = picture.device;
  spec.batch = spec.head = 0;
  spec.row0 = (top - static_cast<double>(picture.rows.begin)) / static_cast<double>(cells.rows);
  spec.rows = (bottom - top) / static_cast<double>(cells.rows);
  spec.column0 = (left - static_cast<double>(picture.query.columns.begin)) / static_cast<double>(cells.columns);
  spec.columns = (right - left) / static_cast<double>(cells.columns);
  spec.width = static_cast<int>(place.width());
  spec.height = static_cast<int>(place.height());
  spec.hatch_x = static_cast<int>(place.min.x);
  spec.hatch_y = static_cast<int>(place.min.y);
  const TextureId texture = ui.textures.heatmap(spec);
  if (texture != 0) canvas().AddImage(compat::texture(texture), place.min, place.max);
}

// The cells of the pixel under a point.
std::pair<Range, Range> cells_under(const CellGrid& grid, Cell cell) {
  const PixelCells cells = grid.pixel_cells();
  const auto block = [](std::int64_t at, std::int64_t a_pixel, std::int64_t count) {
    const std::int64_t begin = at / a_pixel * a_pixel;
    return Range{begin, std::min(begin + a_pixel, count)};
  };
  return {block(cell.row, cells.rows, grid.rows), block(cell.column, cells.columns, grid.columns)};
}

bool covers(const MapPicture& picture, const CellGrid& grid) {
  const Range rows = grid.row_range(), columns = grid.column_range();
  return picture.rows.begin <= rows.begin && rows.end <= picture.rows.end &&
         picture.query.columns.begin <= columns.begin && columns.end <= picture.query.columns.end;
}

// The picture whose pixels are those of the screen, else the best there is.
const MapPicture* best_picture(const LargeMap& map) {
  if (map.detail && map.detail->failure.empty()) return map.detail.get();
  return map.whole && map.whole->failure.empty() ? map.whole.get() : nullptr;
}

}  // namespace

std::optional<LargeMap> large_map_of(PanelData& data, StageId stage, std::int64_t batch, std::int64_t slice,
                                     Pooling pooling) {
  if (!data.is_large(stage)) return std::nullopt;
  return LargeMap{
      data.map_key(stage, batch, slice), data.map_source(stage, batch, slice), pooling, nullptr, nullptr, "", false};
}

void look_at_map(Ui& ui, LargeMap& map, const CellGrid& fitted, const CellGrid& grid, int order) {
  MapTiles& maps = ui.session.background.maps;
  const Tensor& matrix = map.source.matrix;
  MapQuery all = query_of_all(map.key, matrix, map.pooling, fitted.pixel_cells());
  all.only_coarse = map.only_coarse;
  const bool zoomed = grid.cell_width != fitted.cell_width || grid.cell_height != fitted.cell_height;
  // From one pixel a cell on the fitted picture is the matrix itself, and no smaller part of it need be asked for.
  map.whole = maps.want(all, map.source, zoomed ? order + 1 : order);
  map.detail = map.whole;
  if (zoomed) {
    const MapQuery part =
        query_of(map.key, matrix, map.pooling, grid.pixel_cells(), grid.row_range(), grid.column_range());
    map.detail = maps.want(part, map.source, order);
  }
  for (const auto& picture : {map.whole, map.detail}) {
    if (picture && !picture->failure.empty()) map.failure = picture->failure;
  }
  if (!map.whole || !map.whole->failure.empty()) map.whole = maps.last_whole(map.key, matrix, map.pooling);
}

void draw_map(Ui& ui, const LargeMap& map, const CellGrid& grid, const HeatmapSpec& spec) {
  fill(grid.area, ui.colors.well);
  const bool detailed = map.detail && map.detail->failure.empty();
  const bool covered = detailed && map.detail != map.whole && covers(*map.detail, grid);
  if (map.whole && !covered) draw_picture(ui, *map.whole, grid, spec);
  if (detailed && map.detail != map.whole) draw_picture(ui, *map.detail, grid, spec);
}

std::optional<Cell> shown_map_cell(Ui& ui, const LargeMap& map, const CellGrid& grid, ImVec2 point) {
  const std::optional<Cell> under = grid.cell_at(point);
  if (!under || grid.pixel_cells() == PixelCells{}) return under;
  const auto [rows, columns] = cells_under(grid, *under);
  const Cell middle{rows.begin + rows.size() / 2, columns.begin + columns.size() / 2};
  // While the user drags the picture, the cells pass under the mouse too fast to be read.
  if (ImGui::IsMouseDragging(0)) return middle;
  const ChosenPixel chosen = ui.session.background.maps.chosen(map.key, map.source, rows, columns);
  return chosen.cell ? Cell{chosen.cell->row, chosen.cell->column} : middle;
}

std::optional<ExactCells> exact_cells(const LargeMap& map, const CellGrid& grid) {
  const MapPicture* picture = best_picture(map);
  if (picture == nullptr || picture->query.cells != PixelCells{} || !picture->exact() || !covers(*picture, grid)) {
    return std::nullopt;
  }
  return ExactCells{picture->matrix, picture->mask, picture->device, picture->rows.begin, picture->query.columns.begin};
}

std::optional<double> cell_value(const Tensor& matrix, bool score_like, const LargeMap* map, const CellGrid& grid,
                                 Cell cell) {
  if (map == nullptr || matrix.stored() || score_like) return static_cast<double>(matrix.at({cell.row, cell.column}));
  const std::optional<ExactCells> cells = exact_cells(*map, grid);
  if (!cells) return std::nullopt;
  const std::int64_t row = cell.row - cells->row0, column = cell.column - cells->column0;
  if (row < 0 || column < 0 || row >= cells->matrix.dim(0) || column >= cells->matrix.dim(1)) return std::nullopt;
  return static_cast<double>(cells->matrix.at({row, column}));
}

std::vector<float> map_axis_plot(const LargeMap& map, const CellGrid& grid, Cell cell, bool along_row) {
  const float extent = along_row ? grid.area.width() : grid.area.height();
  std::vector<float> profile(static_cast<std::size_t>(std::max(0.0f, extent)), 0.0f);
  const MapPicture* picture = best_picture(map);
  if (picture == nullptr) return profile;
  const PixelCells cells = picture->query.cells;
  const double start = along_row ? grid.column0 : grid.row0;
  const double side = along_row ? grid.cell_width : grid.cell_height;
  const std::int64_t row0 = picture->rows.begin, column0 = picture->query.columns.begin;
  const std::int64_t rows = picture->matrix.dim(0), columns = picture->matrix.dim(1);
  const std::int64_t fixed = along_row ? cell.row - row0 : cell.column - column0;
  const std::int64_t line = fixed / (along_row ? cells.rows : cells.columns);
  if (fixed < 0 || line >= (along_row ? rows : columns)) return profile;
  const Range whole{0, along_row ? columns : rows}, one{line, line + 1};
  const PooledPixels pixels = along_row ? picture->read(one, whole) : picture->read(whole, one);
  for (std::size_t pixel = 0; pixel < profile.size(); ++pixel) {
    const auto at = static_cast<std::int64_t>(std::floor(start + (static_cast<double>(pixel) + 0.5) / side));
    const std::int64_t from = at - (along_row ? column0 : row0);
    const std::int64_t place = from / (along_row ? cells.columns : cells.rows);
    if (from < 0 || place >= whole.end || (along_row ? pixels.hidden(0, place) : pixels.hidden(place, 0))) continue;
    profile[pixel] = pixels.values[static_cast<std::size_t>(place)];
  }
  return profile;
}

bool is_exact(const LargeMap& map, const CellGrid& grid) {
  const MapPicture* picture = map.detail ? map.detail.get() : map.whole.get();
  return picture != nullptr && map.failure.empty() && picture->exact() && picture->query.key == map.key &&
         picture->query.cells == grid.pixel_cells();
}

namespace {

// What a pixel holds; "" when it is one cell.
std::string pixel_words(const LargeMap& map, const CellGrid& grid) {
  const PixelCells cells = grid.pixel_cells();
  if (cells == PixelCells{}) return "";
  return fmt::format("{} of {} × {} cells a pixel", pooling_name(map.pooling), cells.rows, cells.columns);
}

}  // namespace

std::string map_sentence(const LargeMap& map, const CellGrid& grid) {
  std::string sentence = pixel_words(map, grid);
  const auto add = [&](const std::string& state) { sentence += (sentence.empty() ? "" : ", ") + state; };
  if (!map.failure.empty()) {
    add("not all could be computed: " + control_words(map.failure));
    return sentence;
  }
  const MapPicture* picture = map.detail ? map.detail.get() : map.whole.get();
  if (picture == nullptr) {
    add("computing");
  } else if (!picture->exact() && picture->done > 0) {
    add(fmt::format("refining {:.0f} %", std::floor(picture->done * 100)));
  } else if (!picture->exact()) {
    add(fmt::format("coarse: 1 of {} rows so far", grouped_digits(picture->one_of_rows)));
  } else if (!is_exact(map, grid)) {
    add("coarse");
  } else if (!sentence.empty()) {
    add("exact");
  }
  return sentence;
}

std::string maps_sentence(const std::vector<LargeMap>& maps, const CellGrid& grid) {
  if (maps.empty()) return "";
  double done = 0;
  std::int64_t exact = 0;
  for (const LargeMap& map : maps) {
    if (!map.failure.empty()) return map_sentence(map, grid);
    const MapPicture* picture = map.detail ? map.detail.get() : map.whole.get();
    const bool is_done = is_exact(map, grid);
    exact += is_done ? 1 : 0;
    done += is_done ? 1 : picture != nullptr && !picture->exact() ? picture->done : 0;
  }
  const std::int64_t count = std::ssize(maps);
  if (count == 1 || exact == count) return map_sentence(maps.front(), grid);
  std::string sentence = pixel_words(maps.front(), grid);
  if (!sentence.empty()) sentence += ", ";
  return sentence + fmt::format("{} of {} exact, refining {:.0f} %", exact, count,
                                std::floor(100 * done / static_cast<double>(count)));
}

}  // namespace headscope::ui

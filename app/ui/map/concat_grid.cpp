#include "app/ui/map/concat_grid.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {

std::optional<Cell> ConcatGrid::cell_at(ImVec2 point) const {
  for (std::size_t band = 0; band < bands.size(); ++band) {
    if (std::optional<Cell> cell = bands[band].cell_at(point)) {
      cell->column += static_cast<std::int64_t>(band) * band_features;
      return cell;
    }
  }
  return std::nullopt;
}

Rect ConcatGrid::features_rect(std::int64_t row, std::int64_t from, std::int64_t to) const {
  if (bands.empty() || band_features <= 0) return {};
  const std::int64_t band =
      std::clamp<std::int64_t>(from / band_features, 0, static_cast<std::int64_t>(bands.size()) - 1);
  const CellGrid& grid = bands[static_cast<std::size_t>(band)];
  const Rect first = grid.cell_rect(row, from - band * band_features);
  const Rect last = grid.cell_rect(row, std::min(to, (band + 1) * band_features) - 1 - band * band_features);
  return {first.min, last.max};
}

ConcatGrid concat_grid(const MapRoom& room, std::int64_t rows, std::int64_t features, std::int64_t bands, float scale) {
  const ImVec2 top_left = room.top_left;
  const float width = room.width, height = room.height;
  ConcatGrid result;
  result.area = {top_left, top_left};
  if (rows <= 0 || features <= 0 || width < 8 || height < 1) return result;
  if (bands < 1 || features % bands != 0) bands = 1;
  const auto count = static_cast<float>(bands);
  float gap = 0;
  for (const float wanted : {4.0f, 1.0f}) {
    const float pixels = std::max(1.0f, std::round(wanted * scale));
    // Gaps take at most an eighth of the picture.
    if (bands > 1 && (count - 1) * pixels <= width / 8) {
      gap = pixels;
      break;
    }
  }
  if (bands > 1 && gap == 0) bands = 1;
  result.band_features = features / bands;
  const auto shown = static_cast<float>(bands);
  const float band_width = (std::floor(width) - (shown - 1) * gap) / shown;
  for (std::int64_t band = 0; band < bands; ++band) {
    const auto at = static_cast<float>(band);
    // Bands begin and end on whole pixels; the rounding is spread over them.
    const float x0 = std::round(at * (band_width + gap));
    const float x1 = std::round(at * (band_width + gap) + band_width);
    result.bands.push_back(
        fitted_oblong({top_left.x + x0, top_left.y}, x1 - x0, height, rows, result.band_features, height));
  }
  result.area.max = result.bands.back().area.max;
  return result;
}

}  // namespace headscope::ui

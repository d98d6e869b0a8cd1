#include "app/ui/map/cell_labels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "app/ui/map/map_view.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap_spec.h"

namespace headscope::ui {
namespace {

// The scales of these rows of a picture, each its own.
std::vector<ValueScale> scales_of(const HeatmapCells& view, const ExactCells& cells, Range rows) {
  HeatmapSpec spec;
  spec.matrix = cells.matrix;
  spec.mask = cells.mask;
  spec.device = cells.device;
  spec.map = view.map;
  spec.range = view.range;
  return row_scales(spec, rows.begin, rows.end);
}

Rgba ground_of(const HeatmapCells& view, const ValueScale& scale, float value) {
  if (!std::isfinite(value)) return kNanColor;
  return color_table(view.map)[static_cast<std::size_t>(std::clamp(scale.entry(value), 0, 255))];
}

// The numbers of the cells in sight.
struct NumbersInSight {
  Range rows, columns;
  std::vector<float> values;         // NaN where a cell has none: it is hidden, or drawn as a mark
  std::vector<std::uint8_t> hidden;  // hidden cells that weigh something all the same
  std::vector<ValueScale> scales;    // of every row, where each has its own and the picture does not say it
};

// nullopt until the picture of a large map is there, with which its numbers come.
std::optional<NumbersInSight> numbers_in_sight(const HeatmapCells& view) {
  NumbersInSight seen{view.grid.row_range(), view.grid.column_range(), {}, {}, {}};
  seen.values.resize(static_cast<std::size_t>(seen.rows.size() * seen.columns.size()));
  seen.hidden.resize(seen.values.size());
  if (seen.values.empty()) return std::nullopt;
  const std::optional<ExactCells> exact = view.large ? exact_cells(*view.large, view.grid) : std::nullopt;
  if (view.large && !exact) return std::nullopt;
  if (exact) {
    const auto moved = [](Range range, std::int64_t by) { return Range{range.begin - by, range.end - by}; };
    const Range rows = moved(seen.rows, exact->row0);
    exact->matrix.read(Region{rows, moved(seen.columns, exact->column0)}, seen.values);
    if (view.range.per_row) seen.scales = scales_of(view, *exact, rows);
  } else {
    view.matrix.read(Region{seen.rows, seen.columns}, seen.values);
  }
  std::size_t at = 0;
  for (std::int64_t row = seen.rows.begin; row < seen.rows.end; ++row) {
    for (std::int64_t column = seen.columns.begin; column < seen.columns.end; ++column, ++at) {
      if (!view.mask || !view.mask->hidden.hidden(view.batch, view.head, row, column)) continue;
      seen.hidden[at] = 1;
      if (!view.weight_like || seen.values[at] == 0) seen.values[at] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  return seen;
}

// All numbers that the picture may hold: those of its colours, and what is in sight beyond them.
CellValues values_of(const HeatmapCells& view, const NumbersInSight& seen) {
  CellValues values;
  values.weights = view.weight_like;
  if (!view.weight_like && !view.range.per_row) {
    values.add(view.range.low);
    values.add(view.range.high);
  }
  for (const float value : seen.values) values.add(static_cast<double>(value));
  return values;
}

// The middle of a cell, also of one that the edge of the picture cuts.
ImVec2 middle_of(const CellGrid& grid, std::int64_t row, std::int64_t column) {
  const double x = grid.area.min.x + (static_cast<double>(column) + 0.5 - grid.column0) * grid.cell_width;
  const double y = grid.area.min.y + (static_cast<double>(row) + 0.5 - grid.row0) * grid.cell_height;
  return {static_cast<float>(x), static_cast<float>(y)};
}

// Whether a number of this width lies inside the picture.
bool is_whole(const Rect& area, ImVec2 middle, float width, float height) {
  return middle.x - width / 2 >= area.min.x && middle.x + width / 2 <= area.max.x &&
         middle.y - height / 2 >= area.min.y && middle.y + height / 2 <= area.max.y;
}

// Whether a cell is left blank where others have a number; hidden cells are NaN here.
bool is_below_half_a_unit(const CellNumbers& numbers, float value) {
  return numbers.letters > 0 && 2 * std::fabs(static_cast<double>(value)) <= numbers.unit();
}

// How the numbers are written, and the letters that they take: small ones are as large as the longest number allows.
CellLabels with_letters(const CellValues& values, const CellLetters& type) {
  const auto letters = [&](float height) {
    return static_cast<int>(type.room / std::max(1.0f, type.advance * height / type.height));
  };
  CellLabels found;
  found.numbers = cell_numbers(values, {letters(type.height), letters(type.smallest)});
  found.height = type.height;
  if (found.numbers.small && found.numbers.letters > 0) {
    const float longest = type.advance * static_cast<float>(found.numbers.letters);
    found.height = std::clamp(type.height * type.room / longest, type.smallest, type.height);
  }
  found.advance = type.advance * found.height / type.height;
  return found;
}

}  // namespace

CellLabels cell_labels(const HeatmapCells& view, const CellLetters& type) {
  const std::optional<NumbersInSight> seen = numbers_in_sight(view);
  if (!seen) return {};
  CellLabels found = with_letters(values_of(view, *seen), type);
  const ValueScale shared = value_scale(view.range);
  std::size_t at = 0;
  for (std::int64_t row = seen->rows.begin; row < seen->rows.end; ++row) {
    const auto line = static_cast<std::size_t>(row);
    const ValueScale* scale = &shared;
    if (!seen->scales.empty()) {
      scale = &seen->scales[line - static_cast<std::size_t>(seen->rows.begin)];
    } else if (view.row_scale != nullptr && line < view.row_scale->size()) {
      scale = &(*view.row_scale)[line];
    }
    for (std::int64_t column = seen->columns.begin; column < seen->columns.end; ++column, ++at) {
      const float value = seen->values[at];
      std::string text = cell_number(found.numbers, static_cast<double>(value));
      const float width = static_cast<float>(letters_of(text)) * found.advance;
      const ImVec2 middle = middle_of(view.grid, row, column);
      found.blank = found.blank || (text.empty() && is_below_half_a_unit(found.numbers, value));
      if (text.empty() || !is_whole(view.grid.area, middle, width, found.height)) continue;
      found.labels.push_back(
          {{row, column}, middle, std::move(text), ground_of(view, *scale, value), seen->hidden[at] != 0});
    }
  }
  return found;
}

}  // namespace headscope::ui

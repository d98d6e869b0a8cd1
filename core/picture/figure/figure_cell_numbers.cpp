// Numbers in the cells of maps: how those of one picture are written, and their places.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "core/picture/cell_numbers.h"
#include "core/picture/figure/figure_output.h"

namespace headscope {

namespace {

constexpr double kNumbersFrom = 24, kSmallestType = 9;  // units

// 10 px in cells of 24 and 25 px, then larger with them.
double number_size(double cell) {
  return cell < 26 ? 10 : cell < 44 ? 11 : cell < 60 ? 12 : 13;
}

// The cells of a map in pixels, and the type of their numbers.
struct NumberCells {
  double width = 0, height = 0;
  double line = 0;  // the grid's, the last pixels of a cell: numbers stand in the middle of the rest
  double size = 0, smallest = 0;

  double room() const { return width - line - 1; }
  int letters(double of_size) const { return static_cast<int>(room() / drawn_width("0", FontRole::numbers, of_size)); }
  // Small letters are as large as the longest number of the picture allows.
  double size_of(const CellNumbers& numbers) const {
    if (!numbers.small || numbers.letters == 0) return size;
    const double longest = drawn_width("0", FontRole::numbers, size) * numbers.letters;
    return std::clamp(size * room() / longest, smallest, size);
  }
};

// nullopt where the map has no numbers.
std::optional<NumberCells> number_cells(const MapItem& item) {
  const HeatmapSpec& spec = item.spec;
  const double width = spec.width / spec.columns, height = spec.height / spec.rows;
  if (!has_cell_numbers(item.cell_text, std::min(width, height), spec.pixel_scale)) return std::nullopt;
  NumberCells cells{.width = width, .height = height};
  cells.line = spec.grid ? std::max(1.0, std::floor(spec.pixel_scale + 0.5)) : 0;
  cells.size = number_size(std::min(width, height) / spec.pixel_scale) * spec.pixel_scale;
  cells.smallest = std::min(cells.size, kSmallestType * spec.pixel_scale);
  return cells;
}

// Calls `use(column, value)` for the cells of a row that have a number: neither hidden nor drawn as a mark.
template <typename Use>
void visit_row(const MapItem& item, std::int64_t row, std::vector<float>& values, const Use& use) {
  const HeatmapSpec& spec = item.spec;
  const std::int64_t columns = spec.matrix.dim(1);
  values.resize(static_cast<std::size_t>(columns));
  spec.matrix.read(Region{{row, row + 1}, {0, columns}}, values);
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(spec.mask ? columns : 0));
  if (spec.mask) spec.mask->hidden.read_row(spec.batch, spec.head, row, hidden);
  for (std::int64_t column = 0; column < columns; ++column) {
    const auto at = static_cast<std::size_t>(column);
    if (std::isfinite(values[at]) && (hidden.empty() || hidden[at] == 0)) use(column, values[at]);
  }
}

}  // namespace

bool has_cell_numbers(CellText text, double cell, double scale) {
  return text != CellText::none && cell >= kNumbersFrom * scale;
}

void choose_cell_numbers(FigurePlan& plan, const CancelToken& cancel) {
  CellValues values;
  CellRoom room{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  std::vector<float> row_values;
  for (const auto& item : plan.items) {
    const auto* map = std::get_if<MapItem>(&item);
    const std::optional<NumberCells> cells = map == nullptr ? std::nullopt : number_cells(*map);
    if (!cells) continue;
    room.letters = std::min(room.letters, cells->letters(cells->size));
    room.small_letters = std::min(room.small_letters, cells->letters(cells->smallest));
    values.weights = map->cell_text == CellText::weights;
    for (std::int64_t row = 0; row < map->spec.matrix.dim(0); ++row) {
      cancel.check();
      visit_row(*map, row, row_values, [&](std::int64_t, float value) { values.add(static_cast<double>(value)); });
    }
  }
  const CellNumbers numbers = cell_numbers(values, room);
  for (auto& item : plan.items) {
    if (auto* map = std::get_if<MapItem>(&item)) map->numbers = numbers;
  }
}

void draw_cell_numbers(const MapItem& item, FigureOutput& output, const CancelToken& cancel) {
  const std::optional<NumberCells> cells = number_cells(item);
  if (!cells || item.numbers.letters == 0) return;
  const HeatmapSpec& spec = item.spec;
  const double size = cells->size_of(item.numbers);
  // Numbers stay within their cells but for a pixel or two.
  const auto row_at = [&](double y) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((y - item.y) / cells->height)), 0,
                                    spec.matrix.dim(0));
  };
  const double cell = std::min(cells->width, cells->height) / spec.pixel_scale;
  const std::int64_t first = row_at(static_cast<double>(output.rows().begin) - cell);
  const std::int64_t end = row_at(static_cast<double>(output.rows().end) + 2 * cell);
  const ValueScale shared = value_scale(spec.range);
  std::vector<float> values;
  for (std::int64_t i = first; i < end; ++i) {
    cancel.check();
    const ValueScale scale = spec.range.per_row ? row_scales(spec, i, i + 1).front() : shared;
    visit_row(item, i, values, [&](std::int64_t j, float value) {
      const Rgba ground = color_table(spec.map)[static_cast<std::size_t>(scale.entry(value))];
      draw_centred(output,
                   {.x = item.x + static_cast<double>(j) * cells->width,
                    .y = item.y + static_cast<double>(i) * cells->height,
                    .width = cells->width - cells->line,
                    .height = cells->height - cells->line},
                   cell_number(item.numbers, static_cast<double>(value)), size, ink_on(ground));
    });
  }
}

}  // namespace headscope

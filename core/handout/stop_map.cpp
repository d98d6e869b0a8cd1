#include "core/handout/stop_map.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/picture/figure/figure_sheet.h"
#include "core/picture/paper.h"
#include "core/request/mask.h"

namespace headscope {

namespace {

constexpr int kDotsPerInch = 254;                   // a pixel is a tenth of a millimetre
constexpr double kLetters[] = {8, 7, 6};            // points; the largest with which all words have room is taken
constexpr std::int64_t kMostWords = 64;             // along a side; more are no longer looked at one by one
constexpr double kLargestCell = 64;                 // units of the sheet
constexpr int kRing = 4, kWithin = 2, kAround = 1;  // the ring of the picked cell: dark, and light lines beside it

// The view as the sheet takes it, in pixels that are tenths of a millimetre.
ViewSpec paper_view(ViewSpec view, int width, double letters) {
  view.theme = Theme::light;
  view.paper = PaperSpec();
  view.paper.width = PaperLength{width / 10.0, LengthUnit::mm};
  view.paper.dpi = kDotsPerInch;
  view.paper.font_size = letters;
  view.paper.ground = Ground::white;
  view.paper.caption = view.paper.recipe_line = false;
  view.cell.reset();
  view.width.reset();
  view.labels = view.color_bar = true;
  return in_pixels(view);
}

// How the map lies in its room, with letters of one size.
struct MapFit {
  int gutter = 0, above = 0;  // the words at the left and at the top
  std::int64_t rows = 0, columns = 0;
  int cell = 1;
  bool whole = true;
};

std::optional<MapFit> fit_of(const Sheet& sheet, const StagePicture& picture, const PaperRoom& room, bool may_be_cut) {
  const int named = static_cast<int>(std::ceil(sheet.named_from()));
  const AxisNames& names = picture.names();
  MapFit fit{.rows = picture.rows(), .columns = picture.columns()};
  const auto [row_word, column_word] = corner_words(names);
  const double corner =
      std::max(sheet.width_of(row_word, FontRole::words, 11), sheet.width_of(column_word, FontRole::words, 11));
  fit.gutter = std::max(sheet.row_gutter(names.rows, fit.rows, named), static_cast<int>(corner) + sheet.px(9));
  fit.above = std::max(sheet.column_height(names.columns, named), sheet.px(36));
  const int width = room.width - fit.gutter - sheet.upright_bar_room() - 2 * sheet.margin();
  const int height = room.height - fit.above - 2 * sheet.margin();
  const auto most = [named](int length) { return std::clamp<std::int64_t>(length / named, 1, kMostWords); };
  const std::int64_t most_columns = most(width), most_rows = most(height);
  fit.whole = fit.rows <= most_rows && fit.columns <= most_columns;
  if (!fit.whole && !may_be_cut) return std::nullopt;
  fit.rows = std::min(fit.rows, most_rows);
  fit.columns = std::min(fit.columns, most_columns);
  const int cell = std::min(width / static_cast<int>(fit.columns), height / static_cast<int>(fit.rows));
  fit.cell = std::clamp(cell, 1, sheet.px(kLargestCell));
  return fit;
}

// `count` of `all`, with `picked` in their middle where that is possible; from the first on without it.
Range part_around(std::int64_t picked, std::int64_t count, std::int64_t all) {
  const std::int64_t begin = picked < 0 ? 0 : std::clamp<std::int64_t>(picked - count / 2, 0, all - count);
  return {begin, begin + count};
}

std::vector<std::string> part_of(const std::vector<std::string>& names, Range part) {
  return {names.begin() + part.begin, names.begin() + part.end};
}

// The bytes of a row of `from` in the part, as row `to` of `into`.
void copy_cells(const HiddenCells& from, const HeatmapSpec& whole, Range columns,
                std::pair<std::int64_t, std::int64_t> row, HiddenCells& into) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(columns.size()));
  from.read_row(whole.batch, whole.head, row.first, bytes, columns.begin);
  std::copy(bytes.begin(), bytes.end(), into.mutable_row(0, 0, row.second));
}

// The part of the map as a map of its own: documents draw every cell of a matrix.
HeatmapSpec part_of(const HeatmapSpec& whole, Range rows, Range columns) {
  HeatmapSpec part = whole;
  std::vector<float> values(static_cast<std::size_t>(rows.size() * columns.size()));
  whole.matrix.read(Region{rows, columns}, values);
  part.matrix = Tensor::of({rows.size(), columns.size()}, {Axis::query, Axis::key}, std::move(values));
  part.rows = static_cast<double>(rows.size());
  part.columns = static_cast<double>(columns.size());
  part.batch = part.head = 0;
  part.mask = nullptr;
  if (whole.mask != nullptr) {
    Mask mask;
    const bool marks = whole.mask->marked.any();
    mask.hidden = HiddenCells(1, 1, rows.size(), columns.size());
    if (marks) mask.marked = mask.hidden;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      copy_cells(whole.mask->hidden, whole, columns, {i, i - rows.begin}, mask.hidden);
      if (marks) copy_cells(whole.mask->marked, whole, columns, {i, i - rows.begin}, mask.marked);
    }
    mask.hidden.refresh_any();
    if (marks) mask.marked.refresh_any();
    part.mask = std::make_shared<const Mask>(std::move(mask));
  }
  if (whole.range.per_row) {
    const std::vector<ValueRange> all = shared_row_ranges(whole, whole);
    part.row_ranges = std::make_shared<const std::vector<ValueRange>>(all.begin() + rows.begin, all.begin() + rows.end);
  }
  return part;
}

// Four lines along the inner edges of a square, `inset` within it.
void add_frame(Sheet& sheet, const RectItem& square, int inset, int thick) {
  const int x = square.x + inset, y = square.y + inset, side = square.width - 2 * inset;
  sheet.rect(x, y, side, thick, square.color);
  sheet.rect(x, y + side - thick, side, thick, square.color);
  sheet.rect(x, y, thick, side, square.color);
  sheet.rect(x + side - thick, y, thick, side, square.color);
}

// Dark lines between light ones are seen on every colour.
void add_ring(Sheet& sheet, int x, int y, int side) {
  constexpr Rgba kBlack{0, 0, 0, 255}, kWhite{255, 255, 255, 255};
  add_frame(sheet, {x, y, side, side, kWhite}, -kRing / 2 - kAround, kAround);
  add_frame(sheet, {x, y, side, side, kBlack}, -kRing / 2, kRing);
  add_frame(sheet, {x, y, side, side, kWhite}, kRing / 2, kWithin);
}

StopMap drawn(Sheet& sheet, const FoundStop& stop, const MapFit& fit, const CancelToken& cancel) {
  const StagePicture& picture = stop.picture();
  const PickedCell cell = stop.cell().value_or(PickedCell{-1, -1});
  StopMap map;
  map.whole = fit.whole;
  map.rows = part_around(cell.row, fit.rows, picture.rows());
  map.columns = part_around(cell.column, fit.columns, picture.columns());
  HeatmapSpec whole = picture.spec(stop.view().head);
  whole.range = picture.range(0, picture.heads());
  const int x = sheet.margin() + fit.gutter, y = sheet.margin() + fit.above;
  MapItem item{x, y, part_of(whole, map.rows, map.columns), picture.cell_text()};
  item.spec.width = fit.cell * static_cast<int>(fit.columns);
  item.spec.height = fit.cell * static_cast<int>(fit.rows);
  item.spec.pixel_scale = sheet.view.scale;
  item.spec.grid = false;  // the frame holds it together
  item.spec.hatch_x = x;
  item.spec.hatch_y = y;
  map.hatched = item.spec.mask != nullptr && item.spec.mask->hidden.any();
  const int width = item.spec.width, height = item.spec.height;
  sheet.plan.items.emplace_back(item);
  const MarkedLabel marked{cell.row < 0 ? -1 : cell.row - map.rows.begin, sheet.colors.query};
  sheet.row_labels(part_of(picture.row_names(), map.rows), fit.rows, x, y, fit.cell, marked);
  sheet.column_labels(part_of(picture.column_names(), map.columns), fit.columns, x, y, fit.cell);
  sheet.corner(x, y, picture.names());
  const int bar = std::clamp(height, sheet.px(48), sheet.px(200));
  sheet.upright_bar(x + width + sheet.upright_bar_gap(), y, bar, item.spec.map, item.spec.range);
  sheet.frame(x, y, width, height);
  if (cell.row >= 0 && cell.column >= 0) {
    add_ring(sheet, x + static_cast<int>(cell.column - map.columns.begin) * fit.cell,
             y + static_cast<int>(cell.row - map.rows.begin) * fit.cell, fit.cell);
  }
  sheet.plan.width = x + width + sheet.upright_bar_room() + sheet.margin();
  sheet.plan.height = y + std::max(height, bar) + sheet.margin();
  choose_cell_numbers(sheet.plan, cancel);
  map.numbered = has_cell_numbers(item.cell_text, fit.cell, item.spec.pixel_scale) &&
                 std::get<MapItem>(sheet.plan.items.front()).numbers.letters > 0;
  map.plan = std::move(sheet.plan);
  return map;
}

}  // namespace

StopMap stop_map(const FoundStop& stop, const PaperRoom& room, const CancelToken& cancel) {
  constexpr double kSmallest = kLetters[std::size(kLetters) - 1];
  for (const double letters : kLetters) {
    const ViewSpec view = paper_view(stop.view(), room.width, letters);
    Sheet sheet(stop.layer(), view);
    const std::optional<MapFit> fit = fit_of(sheet, stop.picture(), room, letters == kSmallest);
    if (fit) return drawn(sheet, stop, *fit, cancel);
  }
  return {};  // the smallest letters always have a fit
}

}  // namespace headscope

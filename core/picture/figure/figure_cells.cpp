#include "core/picture/figure/figure_cells.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

#include "core/picture/heatmap_painter.h"

namespace headscope {

namespace {

constexpr std::int64_t kMostDrawnCells = 40000;  // of all maps of a picture together

struct CellState {
  bool hidden = false, marked = false;
};

CellLook look_of(const HeatmapSpec& spec, const ValueScale& scale, float value, CellState cell) {
  using Kind = CellLook::Kind;
  if (std::isnan(value)) return {Kind::nan, kNanColor};
  if (cell.hidden) return {Kind::hidden, palette(spec.theme).well};
  if (std::isinf(value)) return {value > 0 ? Kind::above : Kind::below, kNanColor};
  const Rgba color = color_table(spec.map)[static_cast<std::size_t>(scale.entry(value))];
  return {Kind::color, color, cell.marked && value != 0};
}

long edge(double cells, int pixels, double count) {
  return std::lround(cells * pixels / count);
}

CellRun run_of(const MapItem& item, const CellLook& look, std::int64_t row, Range columns) {
  const HeatmapSpec& spec = item.spec;
  CellRun run{look, row, columns};
  run.x = item.x + edge(static_cast<double>(columns.begin), spec.width, spec.columns);
  run.y = item.y + edge(static_cast<double>(row), spec.height, spec.rows);
  run.width = item.x + edge(static_cast<double>(columns.end), spec.width, spec.columns) - run.x;
  run.height = item.y + edge(static_cast<double>(row + 1), spec.height, spec.rows) - run.y;
  return run;
}

double smaller_side(const HeatmapSpec& spec) {
  return std::min(spec.width / spec.columns, spec.height / spec.rows);
}

}  // namespace

void visit_cells(const MapItem& item, const CancelToken& cancel, const std::function<void(const CellRun&)>& visit) {
  const HeatmapSpec& spec = item.spec;
  const std::int64_t columns = spec.matrix.dim(1), rows = spec.matrix.dim(0);
  std::vector<float> values(static_cast<std::size_t>(columns));
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(columns), 0), marked = hidden;
  const bool marks = spec.mask != nullptr && spec.mask->marked.any();
  const ValueScale shared = value_scale(spec.range);
  for (std::int64_t i = 0; i < rows; ++i) {
    cancel.check();
    spec.matrix.read(Region{{i, i + 1}, {0, columns}}, values);
    if (spec.mask) spec.mask->hidden.read_row(spec.batch, spec.head, i, hidden);
    if (marks) spec.mask->marked.read_row(spec.batch, spec.head, i, marked);
    const ValueScale scale = spec.range.per_row ? row_scales(spec, i, i + 1).front() : shared;
    Range run{0, 0};
    CellLook look;
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const CellLook next = look_of(spec, scale, values[at], {hidden[at] != 0, marked[at] != 0});
      if (j > 0 && next == look) {
        run.end = j + 1;
        continue;
      }
      if (j > 0) visit(run_of(item, look, i, run));
      look = next;
      run = {j, j + 1};
    }
    if (columns > 0) visit(run_of(item, look, i, run));
  }
}

bool has_marks(const HeatmapSpec& spec) {
  return smaller_side(spec) >= 8 * spec.pixel_scale;
}

std::vector<CellMark> marks_of(const MapItem& item, const CellRun& run) {
  using Kind = CellLook::Kind;
  const HeatmapSpec& spec = item.spec;
  const bool marked =
      run.look.kind == Kind::nan || run.look.kind == Kind::above || run.look.kind == Kind::below || run.look.corner;
  if (!marked || !has_marks(spec)) return {};
  const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
  const double cell = smaller_side(spec);
  std::vector<CellMark> marks;
  for (std::int64_t j = run.columns.begin; j < run.columns.end; ++j) {
    CellMark& mark = marks.emplace_back();
    mark.left = static_cast<double>(item.x + edge(static_cast<double>(j), spec.width, spec.columns));
    mark.top = static_cast<double>(run.y);
    mark.width = cell_width;
    mark.height = cell_height;
    mark.cross = run.look.kind == Kind::nan;
    if (run.look.corner) {
      mark.corner = 6.3 * spec.pixel_scale;
      mark.edge = 2 * spec.pixel_scale;
      continue;
    }
    // 0.406 of the cell high and 0.55 wide, its tip up for +inf.
    const double up = run.look.kind == Kind::above ? 1 : -1;
    mark.tip_x = mark.left + cell_width / 2;
    mark.tip_y = mark.top + cell_height / 2 - up * 0.203 * cell;
    mark.base = 0.55 * cell;
    mark.rise = up * 0.406 * cell;
  }
  return marks;
}

std::vector<RectItem> grid_of(const MapItem& item) {
  const HeatmapSpec& spec = item.spec;
  const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
  if (!spec.grid || smaller_side(spec) < 12 * spec.pixel_scale) return {};
  const int line = std::max(1, static_cast<int>(std::floor(spec.pixel_scale + 0.5)));
  const Rgba color = palette(spec.theme).panel;
  std::vector<RectItem> lines;
  for (std::int64_t j = 1; j <= static_cast<std::int64_t>(spec.columns); ++j) {
    const auto right = static_cast<int>(std::lround(static_cast<double>(j) * cell_width));
    lines.push_back({item.x + right - line, item.y, line, spec.height, color});
  }
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(spec.rows); ++i) {
    const auto bottom = static_cast<int>(std::lround(static_cast<double>(i) * cell_height));
    lines.push_back({item.x, item.y + bottom - line, spec.width, line, color});
  }
  return lines;
}

Hatch hatch_of(const HeatmapSpec& spec) {
  const double line = std::max(1.0, std::floor(spec.pixel_scale + 0.5));
  return {std::max(2, static_cast<int>(std::floor(5 * spec.pixel_scale + 0.5))), line * 0.7071,
          palette(spec.theme).hatch};
}

PlanMaps maps_of(const FigurePlan& plan) {
  PlanMaps maps;
  for (const auto& item : plan.items) {
    const auto* const map = std::get_if<MapItem>(&item);
    if (map == nullptr) continue;
    ++maps.count;
    maps.cells += map->spec.matrix.size();
    maps.pooled = maps.pooled || map->spec.width < map->spec.columns || map->spec.height < map->spec.rows;
    if (maps.first == nullptr) maps.first = &map->spec;
  }
  maps.drawn = maps.cells <= kMostDrawnCells && !maps.pooled;
  return maps;
}

PictureRows map_rows(const MapItem& item) {
  const auto painter = std::make_shared<HeatmapPainter>(item.spec);
  PictureRows rows;
  rows.width = item.spec.width;
  rows.height = item.spec.height;
  rows.rows_at_once = painter->rows_at_once();
  rows.load = [painter](Range part) { painter->load(static_cast<int>(part.begin), static_cast<int>(part.end)); };
  rows.draw = [painter](Range part, Image& into) {
    painter->draw(static_cast<int>(part.begin), static_cast<int>(part.end), into.pixels.data(), into.width, into.width);
  };
  return rows;
}

}  // namespace headscope

// Putting a laid out figure onto pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/picture/figure_plan.h"
#include "core/picture/heatmap_painter.h"

namespace headscope {

namespace {

// The part of a picture that begins at its row `top`; all places count in the picture.
struct Canvas {
  Image& image;
  int top = 0;
  int bottom() const { return top + image.height; }
};

void fill(const Canvas& canvas, int left, int top, int width, int height, Rgba color) {
  const int right = std::min(left + width, canvas.image.width), bottom = std::min(top + height, canvas.bottom());
  for (int y = std::max(top, canvas.top); y < bottom; ++y) {
    for (int x = std::max(left, 0); x < right; ++x) canvas.image.at(x, y - canvas.top) = color;
  }
}

// A word in the middle of a rectangle; `height` is that of the digits.
void draw_centred(const Canvas& canvas, double x, double y, double width, double height, const std::string& text,
                  double pixel_size, Rgba color) {
  const double left = x + (width - text_width(text, FontRole::numbers, pixel_size)) / 2;
  const double base = y + (height + font_metrics(FontRole::numbers, pixel_size).cap_height) / 2;
  draw_text(canvas.image, left, base, text, FontRole::numbers, pixel_size, color, 0, canvas.top);
}

void draw(const Canvas& canvas, const TextItem& item, const CancelToken&) {
  // Nothing of a line reaches two sizes away from its baseline; upwards it may be long.
  if (item.y + 2 * item.size < canvas.top) return;
  if (item.quarter_turns == 0 && item.y - 2 * item.size > canvas.bottom()) return;
  draw_text(canvas.image, item.x, item.y, item.text, item.role, item.size, item.color, item.quarter_turns, canvas.top);
}

void draw(const Canvas& canvas, const RectItem& item, const CancelToken&) {
  fill(canvas, item.x, item.y, item.width, item.height, item.color);
}

// 10 px in cells of 24 and 25 px, then larger with them.
double number_size(double cell) {
  return cell < 26 ? 10 : cell < 44 ? 11 : cell < 60 ? 12 : 13;
}

void draw_numbers(const Canvas& canvas, const MapItem& item, const CancelToken& cancel) {
  const HeatmapSpec& spec = item.spec;
  const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
  const double cell = std::min(cell_width, cell_height) / spec.pixel_scale;
  if (item.cell_text == CellText::none || cell < 24) return;
  const double size = number_size(cell) * spec.pixel_scale;
  // The grid's line is the last pixel of a cell: numbers stand in the middle of the rest.
  const double line = spec.grid ? std::max(1.0, std::floor(spec.pixel_scale + 0.5)) : 0;
  const int most = static_cast<int>((cell_width - line - 1) / text_width("0", FontRole::numbers, size));
  const std::int64_t columns = spec.matrix.dim(1);
  // Numbers stay within their cells but for a pixel or two.
  const auto row_at = [&](double y) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((y - item.y) / cell_height)), 0,
                                    spec.matrix.dim(0));
  };
  const std::int64_t first = row_at(canvas.top - cell), end = row_at(canvas.bottom() + 2 * cell);
  const ValueScale shared = value_scale(spec.range);
  std::vector<float> values(static_cast<std::size_t>(columns));
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(spec.mask ? columns : 0));
  for (std::int64_t i = first; i < end; ++i) {
    cancel.check();
    spec.matrix.read(Region{{i, i + 1}, {0, columns}}, values);
    if (spec.mask) spec.mask->hidden.read_row(spec.batch, spec.head, i, hidden);
    const ValueScale scale = spec.range.per_row ? row_scales(spec, i, i + 1).front() : shared;
    for (std::int64_t j = 0; j < columns; ++j) {
      const float value = values[static_cast<std::size_t>(j)];
      if (!std::isfinite(value) || (spec.mask && hidden[static_cast<std::size_t>(j)] != 0)) continue;
      const std::string text = item.cell_text == CellText::weights ? weight_text(value) : value_text(value, most);
      const Rgba ground = color_table(spec.map)[static_cast<std::size_t>(scale.entry(value))];
      draw_centred(canvas, item.x + static_cast<double>(j) * cell_width, item.y + static_cast<double>(i) * cell_height,
                   cell_width - line, cell_height - line, text, size, ink_on(ground));
    }
  }
}

void draw(const Canvas& canvas, const BarItem& item, const CancelToken&) {
  const int length = item.upright ? item.height : item.width;
  for (int k = 0; k < length; ++k) {
    const Rgba color = color_at(item.map, length > 1 ? static_cast<double>(k) / (length - 1) : 0.5);
    if (item.upright) {
      fill(canvas, item.x, item.y + item.height - 1 - k, item.width, 1, color);
    } else {
      fill(canvas, item.x + k, item.y, 1, item.height, color);
    }
  }
}

void draw(const Canvas& canvas, const ProvenanceItem& item, const CancelToken& cancel) {
  const auto edge = [](std::int64_t k, std::int64_t count, int pixels) { return static_cast<int>(k * pixels / count); };
  const double block_width = static_cast<double>(item.width) / static_cast<double>(item.heads);
  const double block_height = static_cast<double>(item.height) / static_cast<double>(item.positions);
  const int line =
      std::min(block_width, block_height) >= 8 * item.scale ? std::max(1, static_cast<int>(item.scale)) : 0;
  const double size = 10 * item.scale;
  for (std::int64_t i = 0; i < item.positions; ++i) {
    cancel.check();
    const int top = item.y + edge(i, item.positions, item.height);
    const int height = item.y + edge(i + 1, item.positions, item.height) - top - line;
    if (top + 2 * height < canvas.top || top - height > canvas.bottom()) continue;
    for (std::int64_t block = 0; block < item.heads; ++block) {
      const Provenance from = provenance_of(Merge::direct, item.heads, item.positions, 1, i, block);
      const int left = item.x + edge(block, item.heads, item.width);
      const int width = item.x + edge(block + 1, item.heads, item.width) - left - line;
      const Rgba color = provenance_color(from.head, from.position, item.positions);
      fill(canvas, left, top, width, height, color);
      if (line == 0) continue;
      if (from.position > i) {
        const int corner = std::min({static_cast<int>(7 * item.scale), width / 2, height / 2});
        for (int y = 0; y < corner; ++y) fill(canvas, left, top + y, corner - y, 1, {255, 255, 255, 255});
      }
      const std::string text = fmt::format("h{} t{}", from.head, from.position);
      const bool fits =
          height >= 14 * item.scale && width >= text_width(text, FontRole::numbers, size) + 4 * item.scale;
      if (fits) draw_centred(canvas, left, top, width, height, text, size, ink_on(color));
    }
  }
}

// A plan being drawn. Shared by the functions of a PictureRows.
struct Drawing {
  FigurePlan plan;
  CancelToken cancel;
  std::vector<std::unique_ptr<HeatmapPainter>> painters;  // one an item, null for what is no map

  Drawing(FigurePlan of, CancelToken token) : plan(std::move(of)), cancel(std::move(token)) {
    for (const auto& item : plan.items) {
      const auto* map = std::get_if<MapItem>(&item);
      painters.push_back(map != nullptr ? std::make_unique<HeatmapPainter>(map->spec) : nullptr);
    }
  }

  // Rows of a map within these rows of the picture.
  static Range rows_of_map(const MapItem& map, Range rows) {
    const std::int64_t begin = std::clamp<std::int64_t>(rows.begin - map.y, 0, map.spec.height);
    return {begin, std::clamp<std::int64_t>(rows.end - map.y, begin, map.spec.height)};
  }

  void load(Range rows) {
    for (std::size_t k = 0; k < painters.size(); ++k) {
      if (!painters[k]) continue;
      cancel.check();
      const Range of_map = rows_of_map(std::get<MapItem>(plan.items[k]), rows);
      if (of_map.size() > 0) painters[k]->load(static_cast<int>(of_map.begin), static_cast<int>(of_map.end));
    }
  }

  void draw_map(const Canvas& canvas, const MapItem& map, const HeatmapPainter& painter) const {
    const Range rows = rows_of_map(map, {canvas.top, canvas.bottom()});
    const int columns = std::min(map.spec.width, canvas.image.width - map.x);
    if (rows.size() <= 0 || columns <= 0) return;
    painter.draw(static_cast<int>(rows.begin), static_cast<int>(rows.end),
                 &canvas.image.at(map.x, map.y + static_cast<int>(rows.begin) - canvas.top), canvas.image.width,
                 columns);
    draw_numbers(canvas, map, cancel);
  }

  void draw_rows(Range rows, Image& into) const {
    std::fill(into.pixels.begin(), into.pixels.end(), plan.ground);
    const Canvas canvas{into, static_cast<int>(rows.begin)};
    for (std::size_t k = 0; k < painters.size(); ++k) {
      cancel.check();
      if (painters[k]) {
        draw_map(canvas, std::get<MapItem>(plan.items[k]), *painters[k]);
      } else {
        std::visit(
            [&](const auto& shape) {
              if constexpr (!std::is_same_v<std::decay_t<decltype(shape)>, MapItem>) draw(canvas, shape, cancel);
            },
            plan.items[k]);
      }
    }
  }
};

}  // namespace

PictureRows plan_rows(FigurePlan plan, const CancelToken& cancel) {
  PictureRows rows;
  rows.width = plan.width;
  rows.height = plan.height;
  const auto drawing = std::make_shared<Drawing>(std::move(plan), cancel);
  rows.rows_at_once = std::max(rows.height, 1);
  int maps = 0;  // at most beside each other
  for (const auto& painter : drawing->painters) {
    if (!painter) continue;
    ++maps;
    rows.rows_at_once = std::min(rows.rows_at_once, painter->rows_at_once());
  }
  rows.rows_at_once = std::max(rows.rows_at_once / std::max(maps, 1), 1);
  rows.load = [drawing](Range part) { drawing->load(part); };
  rows.draw = [drawing](Range part, Image& into) { drawing->draw_rows(part, into); };
  return rows;
}

}  // namespace headscope

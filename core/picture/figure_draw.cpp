// Putting a laid out figure onto pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/trace.h"
#include "core/picture/figure_plan.h"

namespace headscope {

namespace {

void fill(Image& image, int left, int top, int width, int height, Rgba color) {
  const int right = std::min(left + width, image.width), bottom = std::min(top + height, image.height);
  for (int y = std::max(top, 0); y < bottom; ++y) {
    for (int x = std::max(left, 0); x < right; ++x) image.at(x, y) = color;
  }
}

// A word in the middle of a rectangle; `height` is that of the digits.
void draw_centred(Image& image, double x, double y, double width, double height, const std::string& text,
                  double pixel_size, Rgba color) {
  const double left = x + (width - text_width(text, FontRole::numbers, pixel_size)) / 2;
  const double base = y + (height + font_metrics(FontRole::numbers, pixel_size).cap_height) / 2;
  draw_text(image, left, base, text, FontRole::numbers, pixel_size, color);
}

void draw(Image& image, const TextItem& item, const CancelToken&) {
  draw_text(image, item.x, item.y, item.text, item.role, item.size, item.color, item.quarter_turns);
}

void draw(Image& image, const RectItem& item, const CancelToken&) {
  fill(image, item.x, item.y, item.width, item.height, item.color);
}

// 10 px in cells of 24 and 25 px, then larger with them.
double number_size(double cell) {
  return cell < 26 ? 10 : cell < 44 ? 11 : cell < 60 ? 12 : 13;
}

void draw_numbers(Image& image, const MapItem& item, const CancelToken& cancel) {
  const HeatmapSpec& spec = item.spec;
  const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
  const double cell = std::min(cell_width, cell_height) / spec.pixel_scale;
  if (item.cell_text == CellText::none || cell < 24) return;
  const double size = number_size(cell) * spec.pixel_scale;
  // The grid's line is the last pixel of a cell: numbers stand in the middle of the rest.
  const double line = spec.grid ? std::max(1.0, std::floor(spec.pixel_scale + 0.5)) : 0;
  const int most = static_cast<int>((cell_width - line - 1) / text_width("0", FontRole::numbers, size));
  const std::int64_t rows = spec.matrix.dim(0), columns = spec.matrix.dim(1);
  const ValueScale shared = value_scale(spec.range);
  std::vector<float> values(static_cast<std::size_t>(columns));
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(spec.mask ? columns : 0));
  for (std::int64_t i = 0; i < rows; ++i) {
    cancel.check();
    spec.matrix.read(Region{{i, i + 1}, {0, columns}}, values);
    if (spec.mask) spec.mask->hidden.read_row(spec.batch, spec.head, i, hidden);
    const ValueScale scale = spec.range.per_row ? row_scales(spec, i, i + 1).front() : shared;
    for (std::int64_t j = 0; j < columns; ++j) {
      const float value = values[static_cast<std::size_t>(j)];
      if (!std::isfinite(value) || (spec.mask && hidden[static_cast<std::size_t>(j)] != 0)) continue;
      const std::string text = item.cell_text == CellText::weights ? weight_text(value) : value_text(value, most);
      const Rgba ground = color_table(spec.map)[static_cast<std::size_t>(scale.entry(value))];
      draw_centred(image, item.x + static_cast<double>(j) * cell_width, item.y + static_cast<double>(i) * cell_height,
                   cell_width - line, cell_height - line, text, size, ink_on(ground));
    }
  }
}

void draw(Image& image, const MapItem& item, const CancelToken& cancel) {
  const Image map = draw_heatmap(item.spec);
  cancel.check();
  for (int y = 0; y < map.height && item.y + y < image.height; ++y) {
    for (int x = 0; x < map.width && item.x + x < image.width; ++x) image.at(item.x + x, item.y + y) = map.at(x, y);
  }
  draw_numbers(image, item, cancel);
}

void draw(Image& image, const BarItem& item, const CancelToken&) {
  const int length = item.upright ? item.height : item.width;
  for (int k = 0; k < length; ++k) {
    const Rgba color = color_at(item.map, length > 1 ? static_cast<double>(k) / (length - 1) : 0.5);
    if (item.upright) {
      fill(image, item.x, item.y + item.height - 1 - k, item.width, 1, color);
    } else {
      fill(image, item.x + k, item.y, 1, item.height, color);
    }
  }
}

void draw(Image& image, const ProvenanceItem& item, const CancelToken& cancel) {
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
    for (std::int64_t block = 0; block < item.heads; ++block) {
      const Provenance from = provenance_of(Merge::direct, item.heads, item.positions, 1, i, block);
      const int left = item.x + edge(block, item.heads, item.width);
      const int width = item.x + edge(block + 1, item.heads, item.width) - left - line;
      const Rgba color = provenance_color(from.head, from.position, item.positions);
      fill(image, left, top, width, height, color);
      if (line == 0) continue;
      if (from.position > i) {
        const int corner = std::min({static_cast<int>(7 * item.scale), width / 2, height / 2});
        for (int y = 0; y < corner; ++y) fill(image, left, top + y, corner - y, 1, {255, 255, 255, 255});
      }
      const std::string text = fmt::format("h{} t{}", from.head, from.position);
      const bool fits =
          height >= 14 * item.scale && width >= text_width(text, FontRole::numbers, size) + 4 * item.scale;
      if (fits) draw_centred(image, left, top, width, height, text, size, ink_on(color));
    }
  }
}

}  // namespace

Image draw_plan(const FigurePlan& plan, const CancelToken& cancel) {
  Image image(plan.width, plan.height, plan.ground);
  for (const auto& item : plan.items) {
    cancel.check();
    std::visit([&](const auto& shape) { draw(image, shape, cancel); }, item);
  }
  return image;
}

}  // namespace headscope

// Items of a figure that are made of others: blocks of provenance, maps and the numbers in their cells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/attention/trace.h"
#include "core/picture/figure/figure_output.h"

namespace headscope {

void draw_centred(FigureOutput& output, const TextBox& box, const std::string& text, double pixel_size, Rgba color) {
  if (text.empty()) return;
  TextItem item;
  item.x = box.x + (box.width - drawn_width(text, FontRole::numbers, pixel_size)) / 2;
  item.y = box.y + (box.height + font_metrics(FontRole::numbers, pixel_size).cap_height) / 2;
  item.text = text;
  item.role = FontRole::numbers;
  item.size = pixel_size;
  item.color = color;
  item.anchor = 0.5;
  output.text(item);
}

namespace {

void draw_provenance(const ProvenanceItem& item, FigureOutput& output, const CancelToken& cancel) {
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
    if (top + 2 * height < output.rows().begin || top - height > output.rows().end) continue;
    for (std::int64_t block = 0; block < item.heads; ++block) {
      const Provenance from = provenance_of(Merge::direct, item.heads, item.positions, 1, i, block);
      const int left = item.x + edge(block, item.heads, item.width);
      const int width = item.x + edge(block + 1, item.heads, item.width) - left - line;
      const Rgba color = provenance_color(from.head, from.position, item.positions);
      output.rect({left, top, width, height, color});
      if (line == 0) continue;
      if (from.position > i) {
        const int corner = std::min({static_cast<int>(7 * item.scale), width / 2, height / 2});
        output.corner({left, top, corner, {255, 255, 255, 255}});
      }
      const std::string text = fmt::format("h{} t{}", from.head, from.position);
      const bool fits =
          height >= 14 * item.scale && width >= drawn_width(text, FontRole::numbers, size) + 4 * item.scale;
      if (!fits) continue;
      draw_centred(output,
                   {.x = static_cast<double>(left),
                    .y = static_cast<double>(top),
                    .width = static_cast<double>(width),
                    .height = static_cast<double>(height)},
                   text, size, ink_on(color));
    }
  }
}

}  // namespace

void FigureOutput::hatch(const HatchItem& item) {
  rect({item.x, item.y, item.width, item.height, item.well});
  for (int y = item.y; y < item.y + item.height; ++y) {
    // The first x at or behind the left edge on a line of the pattern.
    const int first =
        item.x - item.line + 1 + (item.spacing - (item.x - item.line + 1 + y) % item.spacing) % item.spacing;
    for (int x = first; x < item.x + item.width; x += item.spacing) {
      const int left = std::max(x, item.x), right = std::min(x + item.line, item.x + item.width);
      if (right > left) rect({left, y, right - left, 1, item.hatch});
    }
  }
}

void draw_plan(const FigurePlan& plan, FigureOutput& output, const CancelToken& cancel) {
  for (const auto& item : plan.items) {
    cancel.check();
    std::visit(
        [&](const auto& shape) {
          using Item = std::decay_t<decltype(shape)>;
          if constexpr (std::is_same_v<Item, TextItem>) {
            output.text(shape);
          } else if constexpr (std::is_same_v<Item, RectItem>) {
            output.rect(shape);
          } else if constexpr (std::is_same_v<Item, HatchItem>) {
            output.hatch(shape);
          } else if constexpr (std::is_same_v<Item, CornerItem>) {
            output.corner(shape);
          } else if constexpr (std::is_same_v<Item, CurveItem>) {
            output.curve(shape);
          } else if constexpr (std::is_same_v<Item, BarItem>) {
            output.bar(shape);
          } else if constexpr (std::is_same_v<Item, ImageItem>) {
            output.image(shape);
          } else if constexpr (std::is_same_v<Item, ProvenanceItem>) {
            draw_provenance(shape, output, cancel);
          } else {
            output.map(shape);
            draw_cell_numbers(shape, output, cancel);
          }
        },
        item);
  }
}

}  // namespace headscope

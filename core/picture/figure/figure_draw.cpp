// Putting a laid out figure onto pixels.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/picture/blend.h"
#include "core/picture/figure/curve.h"
#include "core/picture/figure/figure_output.h"
#include "core/picture/heatmap_painter.h"

namespace headscope {

namespace {

using Painters = std::map<const MapItem*, std::unique_ptr<HeatmapPainter>>;

// Rows of a map within these rows of the picture.
Range rows_of_map(const MapItem& map, Range rows) {
  const std::int64_t begin = std::clamp<std::int64_t>(rows.begin - map.y, 0, map.spec.height);
  return {begin, std::clamp<std::int64_t>(rows.end - map.y, begin, map.spec.height)};
}

// The part of a picture that begins at its row `top`; all places count in the picture.
class Pixels : public FigureOutput {
 public:
  Pixels(Image& image, int top, const Painters& painters) : image_(image), top_(top), painters_(painters) {}

  Range rows() const override { return {top_, top_ + image_.height}; }

  void rect(const RectItem& item) override { fill(item.x, item.y, item.width, item.height, item.color); }

  void corner(const CornerItem& item) override {
    for (int y = 0; y < item.side; ++y) fill(item.x, item.y + y, item.side - y, 1, item.color);
  }

  void curve(const CurveItem& item) override { draw_curve(image_, item, top_); }

  void text(const TextItem& item) override {
    // Nothing of a line reaches two sizes away from its baseline; upwards it may be long.
    if (item.y + 2 * item.size < top_) return;
    if (item.quarter_turns == 0 && item.y - 2 * item.size > top_ + image_.height) return;
    draw_text(image_, {item.x, item.y, item.quarter_turns, top_}, item.text, item.role, item.size, item.color);
  }

  void bar(const BarItem& item) override {
    const int length = item.upright ? item.height : item.width;
    for (int k = 0; k < length; ++k) {
      const Rgba color = color_at(item.map, length > 1 ? static_cast<double>(k) / (length - 1) : 0.5);
      if (item.upright) {
        fill(item.x, item.y + item.height - 1 - k, item.width, 1, color);
      } else {
        fill(item.x + k, item.y, 1, item.height, color);
      }
    }
  }

  void image(const ImageItem& item) override {
    const int columns = std::min(item.pixels->width, image_.width - item.x);
    const int end = std::min(item.y + item.pixels->height, top_ + image_.height);
    for (int y = std::max(item.y, top_); y < end; ++y) {
      for (int x = 0; x < columns; ++x) image_.at(item.x + x, y - top_) = item.pixels->at(x, y - item.y);
    }
  }

  void map(const MapItem& item) override {
    const Range shown = rows_of_map(item, rows());
    const int columns = std::min(item.spec.width, image_.width - item.x);
    if (shown.size() <= 0 || columns <= 0) return;
    const HeatmapPainter& painter = *painters_.at(&item);
    painter.draw(static_cast<int>(shown.begin), static_cast<int>(shown.end),
                 &image_.at(item.x, item.y + static_cast<int>(shown.begin) - top_), image_.width, columns);
  }

 private:
  void fill(int left, int top, int width, int height, Rgba color) {
    const int right = std::min(left + width, image_.width), bottom = std::min(top + height, top_ + image_.height);
    for (int y = std::max(top, top_); y < bottom; ++y) {
      for (int x = std::max(left, 0); x < right; ++x) {
        Rgba& pixel = image_.at(x, y - top_);
        if (color.a == 255) {
          pixel = color;
        } else {
          blend_over(pixel, color, 1);
        }
      }
    }
  }

  Image& image_;
  const int top_;
  const Painters& painters_;
};

// A plan being drawn. Shared by the functions of a PictureRows.
struct Drawing {
  const FigurePlan plan;
  CancelToken cancel;
  Painters painters;

  Drawing(FigurePlan of, CancelToken token) : plan(std::move(of)), cancel(std::move(token)) {
    for (const auto& item : plan.items) {
      const auto* map = std::get_if<MapItem>(&item);
      if (map != nullptr) painters[map] = std::make_unique<HeatmapPainter>(map->spec);
    }
  }

  void load(Range rows) {
    for (const auto& [map, painter] : painters) {
      cancel.check();
      const Range of_map = rows_of_map(*map, rows);
      if (of_map.size() > 0) painter->load(static_cast<int>(of_map.begin), static_cast<int>(of_map.end));
    }
  }

  void draw_rows(Range rows, Image& into) const {
    std::fill(into.pixels.begin(), into.pixels.end(), plan.ground);
    Pixels pixels(into, static_cast<int>(rows.begin), painters);
    draw_plan(plan, pixels, cancel);
  }
};

}  // namespace

PictureRows plan_rows(FigurePlan plan, const CancelToken& cancel) {
  PictureRows rows;
  rows.width = plan.width;
  rows.height = plan.height;
  rows.has_alpha = plan.ground.a < 255;
  rows.pixels_per_inch = plan.pixels_per_inch;
  const auto drawing = std::make_shared<Drawing>(std::move(plan), cancel);
  rows.rows_at_once = std::max(rows.height, 1);
  // As if all maps lay beside each other.
  const int maps = static_cast<int>(drawing->painters.size());
  for (const auto& [map, painter] : drawing->painters) {
    rows.rows_at_once = std::min(rows.rows_at_once, painter->rows_at_once());
  }
  rows.rows_at_once = std::max(rows.rows_at_once / std::max(maps, 1), 1);
  rows.load = [drawing](Range part) { drawing->load(part); };
  rows.draw = [drawing](Range part, Image& into) { drawing->draw_rows(part, into); };
  return rows;
}

}  // namespace headscope

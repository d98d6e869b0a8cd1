#include "core/picture/figure/corpus_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/picture/text/text.h"

namespace headscope {

CorpusPage::CorpusPage(const CorpusFigure& of)
    : figure(of),
      table(*of.table),
      colors(palette(of.theme)),
      map(of.map.value_or(default_color_map(false, of.theme))) {
  plan.ground = colors.panel;
}

int CorpusPage::px(double units) const {
  const auto pixels = static_cast<int>(std::lround(units * figure.scale));
  return units > 0 ? std::max(1, pixels) : pixels;
}

std::string CorpusPage::name_of(std::size_t head) const {
  return fmt::format("{}.{}", table.heads[head].layer, table.heads[head].head);
}

std::optional<Rgba> CorpusPage::color_of(std::size_t mean, double value) const {
  if (!std::isfinite(value)) return std::nullopt;
  const HeadTable::Range& range = table.ranges[mean];
  return color_at(map, range.high > range.low ? (value - range.low) / (range.high - range.low) : 0);
}

void CorpusPage::text(double x, double middle, const std::string& words, const TextLook& look) {
  if (words.empty()) return;
  const double pixels = font(look.size);
  TextItem item;
  item.x = x - look.anchor * drawn_width(words, look.role, pixels);
  item.y = middle + font_metrics(look.role, pixels).cap_height / 2;
  item.text = words;
  item.role = look.role;
  item.size = pixels;
  item.color = look.color;
  item.anchor = look.anchor;
  plan.items.emplace_back(std::move(item));
}

void CorpusPage::text_upwards(double center, double bottom, const std::string& words, double size, Rgba color) {
  TextItem item;
  item.x = center + font_metrics(FontRole::words, font(size)).cap_height / 2;
  item.y = bottom;
  item.text = words;
  item.role = FontRole::words;
  item.size = font(size);
  item.color = color;
  item.quarter_turns = 1;
  plan.items.emplace_back(std::move(item));
}

void CorpusPage::rect(const Box4& box, Rgba color) {
  if (box.width > 0 && box.height > 0) plan.items.emplace_back(RectItem{box.x, box.y, box.width, box.height, color});
}

void CorpusPage::frame(const Box4& box, int thick, Rgba color) {
  rect({box.x, box.y, box.width, thick}, color);
  rect({box.x, box.bottom() - thick, box.width, thick}, color);
  rect({box.x, box.y + thick, thick, box.height - 2 * thick}, color);
  rect({box.right() - thick, box.y + thick, thick, box.height - 2 * thick}, color);
}

void CorpusPage::bar(int x, int y, int height, std::size_t mean) {
  plan.items.emplace_back(BarItem{x, y, px(10), height, map, true});
  const HeadTable::Range& range = table.ranges[mean];
  const double largest = std::max(std::fabs(range.low), std::fabs(range.high));
  for (const double share : {0.0, 0.5, 1.0}) {
    const double at = y + (1 - share) * (height - 1);
    rect({x + px(10), static_cast<int>(std::floor(at)), px(4), px(1)}, colors.text3);
    text(x + px(17), at + 0.5, tick_text(range.low + share * (range.high - range.low), largest),
         {FontRole::numbers, 11, colors.text2});
  }
}

}  // namespace headscope

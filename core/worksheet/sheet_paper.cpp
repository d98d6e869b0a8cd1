#include "core/worksheet/sheet_paper.h"

#include <fmt/format.h>

#include "core/base/words.h"
#include "core/picture/palette.h"
#include "core/picture/text/text.h"

namespace headscope {

namespace {

constexpr Rgba kWhite{255, 255, 255, 255};
constexpr int kFoot = 90;  // from the lower edge of the page
constexpr double kFootSize = 25, kLeading = 1.4;

}  // namespace

SheetPaper::SheetPaper(int width, int height) : width_(width), height_(height) {
  add_page();
}

void SheetPaper::add_page() {
  FigurePlan page;
  page.width = width_;
  page.height = height_;
  page.ground = kWhite;
  page.paper_width = PaperLength{width_ / 10.0, LengthUnit::mm};
  pages.push_back(page);
  y_ = kMargin;
}

int SheetPaper::bottom() const {
  return height_ - kFoot - 50;
}

void SheetPaper::need(int height) {
  if (y_ > kMargin && y_ + height > bottom()) add_page();
}

void SheetPaper::line(double x, double baseline, std::string_view text, const PaperType& type, double share) {
  if (text.empty()) return;
  TextItem item;
  item.x = x - share * drawn_width(text, type.role, type.size);
  item.y = baseline;
  item.text = text;
  item.role = type.role;
  item.size = type.size;
  item.color = type.color;
  item.anchor = share;
  pages.back().items.emplace_back(item);
}

void SheetPaper::paragraph(std::string_view text, double size, Rgba color) {
  std::string begun;
  const auto end_line = [&] {
    need(static_cast<int>(size * kLeading));
    line(left(), y_ + size, begun, {FontRole::words, size, color});
    skip(static_cast<int>(size * kLeading));
  };
  for (const std::string_view word : words_of(text)) {
    const std::string longer = begun.empty() ? std::string(word) : begun + " " + std::string(word);
    if (!begun.empty() && drawn_width(longer, FontRole::words, size) > right() - left()) {
      end_line();
      begun = word;
    } else {
      begun = longer;
    }
  }
  end_line();
}

void SheetPaper::fill(const RectItem& rect) {
  pages.back().items.emplace_back(rect);
}

void SheetPaper::frame(const RectItem& rect, int thickness) {
  const int t = thickness;
  fill({rect.x, rect.y, rect.width, t, rect.color});
  fill({rect.x, rect.y + rect.height - t, rect.width, t, rect.color});
  fill({rect.x, rect.y, t, rect.height, rect.color});
  fill({rect.x + rect.width - t, rect.y, t, rect.height, rect.color});
}

void SheetPaper::foot(const std::string& text) {
  const Rgba color = palette(Theme::light).text2;
  for (std::size_t k = 0; k < pages.size(); ++k) {
    TextItem item;
    item.x = left();
    item.y = height_ - kFoot;
    item.text = pages.size() == 1 ? text : fmt::format("{}, page {} of {}", text, k + 1, pages.size());
    item.role = FontRole::words;
    item.size = kFootSize;
    item.color = color;
    pages[k].items.emplace_back(item);
  }
}

}  // namespace headscope

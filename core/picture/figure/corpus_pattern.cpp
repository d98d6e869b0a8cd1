// Where in a phrase the picked head looks from where, in a figure of heads: its mean pattern as a map with numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/corpus/mean_pattern.h"
#include "core/picture/figure/corpus_page.h"
#include "core/picture/text/text.h"

namespace headscope {
namespace {

constexpr double kLeftOfMap = 18, kWidestPart = 32, kBelowMap = 34;

}  // namespace

int add_pattern(CorpusPage& page, int x, int y, int width) {
  const auto means = page.figure.record->heads[page.figure.head].pattern.means();
  double largest = 0;
  for (const double mean : means) largest = std::isfinite(mean) ? std::max(largest, mean) : largest;
  page.text(x, y + page.font(8), "mean pattern", {FontRole::words_bold, 12, page.colors.text});
  page.text(x + width, y + page.font(8), fmt::format("darkest to brightest: 0 to {:.2f}", largest),
            {FontRole::words, 11, page.colors.text3, 1});
  const int left = x + page.px(kLeftOfMap);
  const auto parts = static_cast<int>(kPatternParts);
  const int cell = std::min((width - page.px(kLeftOfMap)) / parts, page.px(kWidestPart)), top = y + page.px(20);
  page.rect({left, top, cell * parts, cell * parts}, page.colors.well);
  for (int row = 0; row < parts; ++row) {
    for (int column = 0; column < parts; ++column) {
      const double mean = means[static_cast<std::size_t>(row * parts + column)];
      if (!std::isfinite(mean)) continue;
      const Rgba ground = color_at(page.map, largest > 0 ? mean / largest : 0);
      page.rect({left + column * cell, top + row * cell, cell - page.px(1), cell - page.px(1)}, ground);
      if (mean < 0.005) continue;
      const std::string number = mean < 0.995 ? fmt::format("{:.2f}", mean).substr(1) : "1";
      page.text(left + (column + 0.5) * cell, top + (row + 0.5) * cell, number,
                {FontRole::numbers, 9.5, ink_on(ground), 0.5});
    }
  }
  const int bottom = top + cell * parts;
  page.text_upwards(x + page.font(6), bottom, "query: eighth of its phrase \u2190", 11, page.colors.text2);
  page.text(left, bottom + page.font(11), "key: eighth of its phrase \u2192", {FontRole::words, 11, page.colors.text2});
  return bottom + page.px(kBelowMap);
}

}  // namespace headscope

// Where in a phrase the picked head looks from where: its mean pattern as a map with numbers.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/widgets.h"
#include "core/corpus/mean_pattern.h"
#include "core/picture/color_map.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 30, kPartHeight = 18, kWidestPart = 40, kNumbered = 26, kAxis = 18, kBelow = 8;

bool has_pattern(const CorpusShown& shown) {
  return shown.headvis == nullptr && shown.record->facts.patterns;
}

void draw_part(Ui& ui, const Rect& cell, double mean, double largest) {
  if (!std::isfinite(mean)) return;
  const Rgba ground = color_at(color_map_of(ui, true), largest > 0 ? mean / largest : 0);
  fill(cell, ground);
  if (cell.width() < ui.px(kNumbered) || mean < 0.005) return;
  const std::string number = number_label(mean, 2);
  text_in(ui, cell, Type::mono11, ink_on(ground), number.starts_with("0.") ? number.substr(1) : number, 0.5f);
}

void draw_pattern_map(Ui& ui, const MeanPattern& pattern, const Rect& place) {
  const auto means = pattern.means();
  double largest = 0;
  for (const double mean : means) largest = std::isfinite(mean) ? std::max(largest, mean) : largest;
  const float width = std::floor(std::min(place.width() / static_cast<float>(kPatternParts), ui.px(kWidestPart)));
  const float height = ui.px(kPartHeight), gap = std::max(1.0f, ui.px(1));
  fill({place.min, {place.min.x + width * kPatternParts, place.min.y + height * kPatternParts}}, ui.colors.well);
  for (std::size_t query = 0; query < kPatternParts; ++query) {
    for (std::size_t key = 0; key < kPatternParts; ++key) {
      const ImVec2 corner{place.min.x + width * static_cast<float>(key),
                          std::round(place.min.y + height * static_cast<float>(query))};
      draw_part(ui, {corner, {corner.x + width - gap, corner.y + height - gap}}, means[query * kPatternParts + key],
                largest);
    }
  }
}

// Null: not known yet.
const std::vector<SimilarHead>* patterns_like(const CorpusShown& shown) {
  return shown.among == nullptr ? nullptr : &shown.among->answer->alike_by_pattern;
}

}  // namespace

float corpus_pattern_height(Ui& ui, const CorpusShown& shown, float width) {
  if (!has_pattern(shown)) return 0;
  return ui.px(kTitle + kPartHeight * kPatternParts + kAxis + kBelow) +
         head_chips_height(ui, shown, patterns_like(shown), width);
}

void draw_corpus_pattern(Ui& ui, const CorpusShown& shown, const Rect& area, float& y) {
  if (!has_pattern(shown)) return;
  draw_section_title(ui, row(area, y, ui.px(kTitle)), "Mean pattern", "eighths of the phrase");
  const Rect map = row(area, y, ui.px(kPartHeight * kPatternParts));
  draw_pattern_map(ui, shown.picked().pattern, map);
  ui.mark("corpus/pattern", map);
  Rect axis = row(area, y, ui.px(kAxis));
  text_in(ui, take_left(axis, ui.px(60), ui.px(10)), Type::words11, ui.colors.query, "query \u2193");
  text_in(ui, axis, Type::words11, ui.colors.key, "key \u2192");
  y += ui.px(kBelow);
  const HeadChips chips{"Heads with a pattern like this", "cosine", "corpus/alike_pattern/", patterns_like(shown)};
  draw_head_chips(ui, shown, chips, area, y);
}

}  // namespace headscope::ui

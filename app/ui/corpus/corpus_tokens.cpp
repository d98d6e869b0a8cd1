// Which tokens the picked head's rows come from and point at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr float kTableTitle = 26, kTableLine = 20, kBelow = 8;
constexpr std::size_t kMostShown = 8;

std::vector<TokenLine> lines_of(const TokenCounts& counts, const CorpusRecord& record) {
  std::vector<TokenLine> lines;
  for (const TokenCount& count : counts.top(kMostShown)) {
    const auto rows = static_cast<std::int64_t>(count.rows);
    lines.push_back({record.words.at(count.token), static_cast<double>(count.rows), grouped_digits(rows)});
  }
  return lines;
}

bool has_tokens(const CorpusShown& shown) {
  return shown.headvis == nullptr && shown.picked().pointing > 0;
}

}  // namespace

float token_table_height(const Ui& ui, std::size_t lines) {
  return ui.px(kTableTitle) + ui.px(kTableLine) * static_cast<float>(lines);
}

void draw_token_table(Ui& ui, const std::string& title, const std::string& fact, const std::vector<TokenLine>& lines,
                      const Rect& area, float& y) {
  draw_section_title(ui, row(area, y, ui.px(kTableTitle)), title, fact);
  double largest = 0;
  for (const TokenLine& each : lines) largest = std::max(largest, each.value);
  for (const TokenLine& each : lines) {
    Rect line = row(area, y, ui.px(kTableLine));
    const std::string word = shortened_to(ui, Type::mono12, visible_piece(each.token), ui.px(104));
    text_in(ui, take_left(line, ui.px(112), ui.px(6)), Type::mono12, ui.colors.text, word);
    text_in(ui, take_right(line, ui.px(64), ui.px(6)), Type::mono11, ui.colors.text2, each.words, 1);
    const float middle = std::round(line.center().y);
    const Rect bar{{line.min.x, middle - ui.px(4)}, {line.max.x, middle + ui.px(4)}};
    fill(bar, ui.colors.well);
    const auto share = static_cast<float>(largest > 0 ? std::max(0.0, each.value) / largest : 0);
    fill({bar.min, {std::round(bar.min.x + bar.width() * share), bar.max.y}}, ui.colors.ok);
  }
}

float corpus_tokens_height(const Ui& ui, const CorpusShown& shown) {
  if (!has_tokens(shown)) return 0;
  const HeadRecord& head = shown.picked();
  const auto lines = [](const TokenCounts& counts) { return std::min(counts.all().size(), kMostShown); };
  return token_table_height(ui, lines(head.query_tokens)) + token_table_height(ui, lines(head.key_tokens)) +
         ui.px(kBelow);
}

void draw_corpus_tokens(Ui& ui, const CorpusShown& shown, const Rect& area, float& y) {
  if (!has_tokens(shown)) return;
  const HeadRecord& head = shown.picked();
  const auto rows = static_cast<std::int64_t>(head.pointing);
  const std::string fact =
      fmt::format("{} {} half or more to one key", grouped_count(rows, "row"), rows == 1 ? "gives" : "give");
  draw_token_table(ui, "Looks from", fact, lines_of(head.query_tokens, *shown.record), area, y);
  draw_token_table(ui, "Looks at", fact, lines_of(head.key_tokens, *shown.record), area, y);
  y += ui.px(kBelow);
}

}  // namespace headscope::ui

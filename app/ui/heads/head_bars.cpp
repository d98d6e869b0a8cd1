// Bars beside the large head say what the picked row looks at, and what the model goes on with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/session/session.h"
#include "app/ui/head_effect.h"
#include "app/ui/heads/one_head.h"
#include "app/ui/heads/word_bars.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/heads/look_row.h"
#include "core/heads/look_sentence.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 34, kBelow = 8, kTallestBar = 32;
constexpr std::int64_t kMostLooks = 32;  // words that are listed at most
constexpr std::size_t kMostWords = 8;    // of the predictions
constexpr std::size_t kLeastWords = 3, kLeastLooks = 3;

// The row that was read last.
struct LookState {
  std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t> of;  // numbers, batch, head, query
  LookRow row;
};

const LookRow& row_of(Ui& ui, PanelData& data, const Selection& selection, std::int64_t query) {
  auto& state = ui.state.panels.get<LookState>();
  const std::tuple of{data.version() + 1, selection.batch, selection.head, query};
  if (state.of == of) return state.row;
  state.of = of;
  state.row = look_row(data.trace(), selection.batch, selection.head, query, kMostLooks);
  return state.row;
}

// Returns the row that is picked, or of the strongest weight; the last row where neither is known.
std::optional<Cell> looked_row(PanelData& data, const Selection& selection) {
  const std::optional<Cell> cell = looked_at(data, selection);
  const Trace& trace = data.trace();
  if (cell && cell->row < trace.query_len()) return cell;
  const bool known = data.summary(selection.batch, selection.head) != nullptr;
  return known && trace.query_len() > 0 ? std::optional(Cell{trace.query_len() - 1, -1}) : std::nullopt;
}

std::string percent(double share) {
  return std::isnan(share) ? "…" : fmt::format("{:.1f} %", 100 * share);
}

std::string name_of(const std::vector<std::string>& names, std::int64_t at) {
  return without_blanks(token_or_index(names, at));
}

// "What green looks at", the word in the colour of a query.
void draw_looks_title(Ui& ui, const std::string& word, Rect line) {
  const auto piece = [&](const std::string& words, Rgba ink) {
    const float width = std::min(std::max(0.0f, line.width()), std::ceil(text_width(ui, Type::title13, words)));
    text_in(ui, {line.min, {line.min.x + width + 1, line.max.y}}, Type::title13, ink, words);
    line.min.x += width;
  };
  const float rest = std::ceil(text_width(ui, Type::title13, "What  looks at"));
  piece("What ", ui.colors.text);
  const float room = std::max(ui.px(20), line.width() - rest);
  const float width = std::min(room, std::ceil(text_width(ui, Type::title13, given(word))));
  text_in(ui, {line.min, {line.min.x + width + 1, line.max.y}}, Type::title13, ui.colors.query, given(word));
  line.min.x += width;
  piece(" looks at", ui.colors.text);
}

// Draws as many rows as fit, and the sum of the others.
std::vector<WordBar> look_rows(Ui& ui, PanelData& data, const LookRow& look, std::int64_t picked, std::size_t most) {
  const std::vector<std::string>& names = data.columns(StageId::weights);
  const std::size_t all = look.largest.size() + (look.others > 0 ? 1 : 0);
  const std::size_t listed = all <= most ? look.largest.size() : std::min(look.largest.size(), most - 1);
  std::map<std::string, int> alike;
  for (std::size_t key = 0; key < names.size(); ++key) ++alike[name_of(names, static_cast<std::int64_t>(key))];
  std::vector<WordBar> rows;
  double others = look.others_sum;
  std::int64_t count = look.others;
  for (std::size_t k = 0; k < look.largest.size(); ++k) {
    const auto& [key, weight] = look.largest[k];
    if (k >= listed) {
      others += weight;
      ++count;
      continue;
    }
    WordBar row;
    row.name = fmt::format("heads/looks/{}", k);
    row.words = name_of(names, key);
    if (alike[row.words] > 1) row.index = fmt::format("{}", key);
    row.ink = key == picked ? ui.colors.key : ui.colors.text;
    row.bold = key == picked;
    row.share = weight;
    row.color = color_at(color_map_of(ui, true), std::clamp(weight, 0.0, 1.0));
    row.number = percent(weight);
    row.tooltip = "The share of weight on this word. A click picks the cell.";
    rows.push_back(std::move(row));
  }
  if (count > 0) {
    WordBar rest;
    rest.words = said(ui, fmt::format("{} more", grouped_digits(count)));
    rest.ink = ui.colors.text2;
    rest.share = others;
    rest.color = ui.colors.text2;
    rest.number = percent(others);
    rows.push_back(std::move(rest));
  }
  return rows;
}

// How many rows the list would have.
float looks_rows(Ui& ui, PanelData& data, const Selection& selection) {
  const std::optional<Cell> cell = looked_row(data, selection);
  if (!cell) return 1;
  const LookRow& look = row_of(ui, data, selection, cell->row);
  return std::max(1.0f, static_cast<float>(look.largest.size() + (look.others > 0 ? 1 : 0)));
}

void draw_looks(Ui& ui, PanelData& data, const Selection& selection, const Rect& area) {
  ui.mark("heads/looks", area);
  const std::optional<Cell> cell = looked_row(data, selection);
  const Rect title{area.min, {area.max.x, area.min.y + ui.px(kTitle)}};
  if (!cell) {
    text_in(ui, title, Type::title13, ui.colors.text, "What a word looks at");
    text_in(ui, {{area.min.x, title.max.y}, {area.max.x, title.max.y + ui.px(kBarRow)}}, Type::words13, ui.colors.text2,
            "A click on a row says it in words.");
    return;
  }
  draw_looks_title(ui, name_of(data.rows(StageId::weights), cell->row), title);
  const LookRow& look = row_of(ui, data, selection, cell->row);
  const Rect list{{area.min.x, title.max.y}, area.max};
  if (!look.finite || look.largest.empty()) {
    paragraph(ui, list, Type::words13, ui.colors.text2,
              look.finite ? "Every key of this row is hidden." : "This row has weights that are no finite numbers.");
    return;
  }
  const auto most = static_cast<std::size_t>(std::max(1.0f, std::floor(list.height() / ui.px(kBarRow))));
  const std::vector<WordBar> rows = look_rows(ui, data, look, cell->column, most);
  const float pitch = std::min(ui.px(kTallestBar), std::floor(list.height() / static_cast<float>(rows.size())));
  const int clicked = word_bars(ui, rows, list, pitch);
  if (clicked < 0 || static_cast<std::size_t>(clicked) >= look.largest.size()) return;
  select_stage(ui.session.view, StageId::weights);
  ui.session.view.cell = Cell{cell->row, look.largest[static_cast<std::size_t>(clicked)].key};
}

void draw_key(Ui& ui, Rect& line, Rgba color, const std::string& words) {
  const float side = ui.px(10), top = std::round(line.center().y - side / 2);
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::words12, words)) + 1, ui.px(6)), Type::words12,
          ui.colors.text2, words);
  const Rect square = take_right(line, side, ui.px(14));
  fill({{square.min.x, top}, {square.max.x, top + side}}, color);
}

// `brief`: for a place that is too narrow for the whole.
std::string title_of_words(const Trace& trace, const HeadEffect& effect, bool brief) {
  if (effect.next_token) return brief ? "What follows" : "What the model goes on with";
  return fmt::format("{} {}", brief ? "Read at" : "What the model reads at",
                     without_blanks(token_or_index(trace.inputs->tokens, effect.position)));
}

std::vector<WordBar> word_rows(Ui& ui, const HeadEffect& effect, bool two, std::size_t most) {
  std::vector<WordBar> rows;
  for (std::size_t k = 0; k < effect.top.size() && k < most; ++k) {
    const TokenProbability& token = effect.top[k];
    WordBar row;
    row.words = without_blanks(token.piece);
    row.ink = ui.colors.text;
    row.bold = k == 0;
    row.share = token.probability;
    row.color = ui.colors.accent;
    row.number = percent(token.probability);
    row.second = two;
    row.second_share = k < effect.without.size() ? effect.without[k] : NAN;
    row.second_number = percent(row.second_share);
    rows.push_back(std::move(row));
  }
  return rows;
}

void draw_words(Ui& ui, const HeadEffect& effect, const Selection& selection, const Rect& area) {
  ui.mark("heads/goes_on", area);
  const bool two = !effect.without.empty() || head_effect_waits(ui);
  Rect title{area.min, {area.max.x, area.min.y + ui.px(kTitle)}};
  const Trace& trace = panel_data(ui)->trace();
  const std::string words = title_of_words(trace, effect, false);
  const float needed = std::ceil(text_width(ui, Type::title13, words)) + 1;
  if (two) {
    const std::string without = fmt::format("without head {}", selection.head);
    const bool narrow = needed + text_width(ui, Type::words12, without + "all heads") + ui.px(70) > area.width();
    draw_key(ui, title, ui.colors.text2, narrow ? "off" : without);
    draw_key(ui, title, ui.colors.accent, narrow ? "all" : "all heads");
  }
  text_in(ui, title, Type::title13, ui.colors.text,
          needed > title.width() ? title_of_words(trace, effect, true) : words);
  const float pitch = ui.px(two ? kTwoBarsRow : kBarRow);
  const Rect list{{area.min.x, title.max.y}, area.max};
  const auto most = static_cast<std::size_t>(std::max(1.0f, std::floor(list.height() / pitch)));
  word_bars(ui, word_rows(ui, effect, two, std::min(most, kMostWords)), list, pitch);
}

}  // namespace

void draw_head_bars(Ui& ui, PanelData& data, const Rect& area) {
  if (data.trace().find(StageId::weights) == nullptr || data.trace().num_heads() == 0) return;
  const Selection selection = selection_of(ui.session.view, data.trace());
  const float padding = ui.px(size::panel_padding);
  Rect inner{{area.min.x + padding, area.min.y}, {area.max.x - padding, area.max.y - ui.px(kBelow)}};
  const std::shared_ptr<const HeadEffect> effect = head_effect(ui);
  if (effect == nullptr) return draw_looks(ui, data, selection, inner);
  const bool two = !effect->without.empty() || head_effect_waits(ui);
  const float row = ui.px(two ? kTwoBarsRow : kBarRow), title = ui.px(kTitle), between = ui.px(10);
  const float looks_least = title + static_cast<float>(kLeastLooks) * ui.px(kBarRow);
  // Half of the room is the predictions' at most, and three of them have some.
  const float words_most = title + static_cast<float>(std::min(effect->top.size(), kMostWords)) * row;
  const float words_least = title + static_cast<float>(std::min(effect->top.size(), kLeastWords)) * row;
  const float room = inner.height() - between;
  const float words = std::min({words_most, std::max(words_least, std::floor(room * 0.46f)), room - looks_least});
  if (words < title + row) return draw_looks(ui, data, selection, inner);
  // Directly below what is looked at, where that needs less than it has.
  const float looks = title + looks_rows(ui, data, selection) * ui.px(kTallestBar);
  const float split = std::min(inner.max.y - words, std::floor(inner.min.y + std::max(looks, looks_least) + between));
  draw_looks(ui, data, selection, {inner.min, {inner.max.x, split - between}});
  horizontal_line(ui, area.min.x, area.max.x, split - std::round(between / 2), ui.colors.line);
  draw_words(ui, *effect, selection, {{inner.min.x, split}, {inner.max.x, split + words}});
}

}  // namespace headscope::ui

// The sum of all parts beside the model's own score, and the pairs of writers with the largest parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/score/score_panel.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/signed_bar.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 24, kLine = 20, kNumber = 74;

// "0.5 × embedding".
std::string short_words(const ScoreShown& shown, const Cell& pair) {
  return fmt::format("{} × {}", shown.made.rows[static_cast<std::size_t>(pair.row)],
                     shown.made.columns[static_cast<std::size_t>(pair.column)]);
}

// Returns the y below.
float draw_sums(Ui& ui, const ScoreShown& shown, const Rect& area) {
  float y = area.min.y;
  const auto line = [&](const std::string& name, const char* shorter, const std::string& number, Type type) {
    const Rect place = row(area, y, ui.px(kLine));
    const float room = place.width() - text_width(ui, type, number) - ui.px(6);
    text_in(ui, place, Type::words12, ui.colors.text2,
            fitting_words(ui, Type::words12, room, {name, shorter, std::string()}));
    text_in(ui, place, type, ui.colors.text, number, 1);
    ui.mark("score/line: " + name + " " + number, place);
  };
  const ScoreWriters& found = shown.found;
  line(fmt::format("sum of {} pairs", grouped_digits(static_cast<std::int64_t>(found.terms.size()))), "sum",
       number_label(found.sum, 6), Type::mono_bold12);
  line("the model's own score", "model's", number_label(found.total, 6), Type::mono12);
  line("difference", "less", number_label(found.sum - found.total, 1, true), Type::mono12);
  if (shown.trace.find(StageId::weights) != nullptr) {
    const Tensor& weights = shown.trace.tensor(StageId::weights);
    const ScoreQuestion& of = shown.question;
    line("attention weight", "weight", number_label(static_cast<double>(weights.at({0, of.head, of.query, of.key})), 4),
         Type::mono12);
  }
  return y;
}

void draw_pair(Ui& ui, const ScoreShown& shown, std::size_t at, const Rect& line) {
  const std::size_t term = shown.made.order[at], keys = shown.found.keys.size();
  const Cell pair{static_cast<std::int64_t>(term / keys), static_cast<std::int64_t>(term % keys)};
  const std::string name = short_words(shown, pair);
  const Interaction it = interact(ui, fmt::format("score/pair/{}", at), line,
                                  {true, false,
                                   "What the first wrote at the query meets what the second wrote at the "
                                   "key. A double click opens the second."});
  const bool chosen = pair == shown.pair;
  if (chosen || it.hovered) fill(line, chosen ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_control));
  ui.mark("score/pair: " + name, line);
  Rect rest = inset(line, ui.px(2));
  // The bar gives way before the name does.
  const float room = rest.width() - ui.px(kNumber + 10), named = std::ceil(text_width(ui, Type::words12, name)) + 1;
  const Rect words =
      take_left(rest, std::min(ui.px(190), std::max(rest.width() * 0.5f, std::min(room, named))), ui.px(6));
  text_in(ui, words, Type::words12, ui.colors.text, given(shortened_to(ui, Type::words12, name, words.width())));
  const double value = shown.found.terms[term];
  text_in(ui, take_right(rest, ui.px(kNumber), ui.px(6)), Type::mono12, ui.colors.text, number_label(value, 4), 1);
  if (rest.width() > ui.px(16)) signed_bar(ui, rest, value, shown.made.largest);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
  if (it.clicked) ui.session.view.score.pair = pair;
  if (it.double_clicked) open_writer(ui, shown, pair);
}

}  // namespace

void draw_score_pairs(Ui& ui, const ScoreShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, area.min.y + ui.px(6)}, {area.max.x - pad, area.max.y - ui.px(4)}};
  float y = draw_sums(ui, shown, inner) + ui.px(4);
  text_in(ui, row(inner, y, ui.px(kRow)), Type::title12, ui.colors.text, "Strongest pairs");
  const Rect list{{inner.min.x, y}, inner.max};
  if (list.height() < ui.px(kRow)) return;
  draw_scrolled_rows(ui, "score/pairs", list, shown.made.order.size(), ui.px(kRow),
                     [&](std::size_t at, const Rect& line) { draw_pair(ui, shown, at, line); });
}

}  // namespace headscope::ui

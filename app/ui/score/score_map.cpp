// Who wrote at the query by who wrote at the key: a map of their parts of the score.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/named_map.h"
#include "app/ui/score/score_panel.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kReadout = 26;

// What two writers meet in, in words.
std::string pair_words(const ScoreShown& shown, const Cell& pair) {
  return fmt::format("{} at {}  ×  {} at {}",
                     score_writer_name(shown.found.queries[static_cast<std::size_t>(pair.row)]), shown.query_token(),
                     score_writer_name(shown.found.keys[static_cast<std::size_t>(pair.column)]), shown.key_token());
}

void read_input(Ui& ui, const ScoreShown& shown, const DrawnNamedMap& drawn) {
  if (drawn.input.clicked) ui.session.view.score.pair = drawn.input.clicked;
  if (drawn.input.double_clicked) open_writer(ui, shown, shown.pair);
  if (!drawn.input.focused) return;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    const Cell cell{std::clamp<std::int64_t>(shown.pair.row + step->row, 0, std::ssize(shown.made.rows) - 1),
                    std::clamp<std::int64_t>(shown.pair.column + step->column, 0, std::ssize(shown.made.columns) - 1)};
    ui.session.view.score.pair = cell;
    Viewport& viewport = ui.state.panels.get<ScorePanelState>().viewport;
    viewport = showing(drawn.fitted, viewport, cell);
  } else if (ui.take_key(KeyName::enter)) {
    open_writer(ui, shown, shown.pair);
  }
}

void draw_readout(Ui& ui, const ScoreShown& shown, const Rect& box, const Cell& at) {
  Rect line = readout_line(ui, box, true);
  const std::string words = pair_words(shown, at), number = number_label(shown.found.terms[shown.place_of(at)], 4);
  const float width = std::ceil(text_width(ui, Type::mono_bold12, number)) + 1;
  text_in(ui, take_right(line, width, ui.px(10)), Type::mono_bold12, ui.colors.text, number, 1);
  text_in(ui, line, Type::words12, ui.colors.text, given(shortened_to(ui, Type::words12, words, line.width())));
  ui.mark("score/readout: " + words + " " + number, box);
}

}  // namespace

void draw_score_map(Ui& ui, const ScoreShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  NamedMap map{.name = kScoreGrid, .view = {}, .rows = shown.made.rows, .columns = shown.made.columns};
  map.view.matrix = shown.made.terms;
  map.view.map = color_map_of(ui, false);
  const double end = shown.made.largest > 0 ? shown.made.largest : 1;
  map.view.range = {-end, end, false, false};
  map.view.weight_like = false;
  map.row_word = "at the query ↓";
  map.column_word = "at the key →";
  map.picked = shown.pair;
  map.viewport = &ui.state.panels.get<ScorePanelState>().viewport;
  const DrawnNamedMap drawn = draw_named_map(
      ui, map, {{area.min.x + ui.px(4), area.min.y + ui.px(4)}, {area.max.x - pad, area.max.y - ui.px(kReadout + 16)}});
  read_input(ui, shown, drawn);
  const float y = drawn.picture.max.y + ui.px(8);
  draw_readout(ui, shown, {{area.min.x + pad, y}, {area.max.x - pad, y + ui.px(kReadout)}},
               drawn.at.value_or(shown.pair));
}

}  // namespace headscope::ui

// Who wrote at the query by who wrote at the key: a map of their parts of the score.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
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

}  // namespace

void draw_score_map(Ui& ui, const ScoreShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  HeatmapView view;
  view.matrix = shown.made.terms;
  view.map = color_map_of(ui, false);
  const double end = shown.made.largest > 0 ? shown.made.largest : 1;
  view.range = {-end, end, false, false};
  view.weight_like = false;
  MapAxes axes{shown.made.rows, shown.made.columns};
  axes.row_word = "at the query";
  axes.column_word = "at the key";
  const float longest = ui.px(110);
  axes.margins.left = labels_extent(ui, shown.made.rows, longest) + ui.px(12);
  axes.margins.above = std::max(ui.px(62), labels_extent(ui, shown.made.columns, longest) + ui.px(10));
  std::optional<Cell> picked = shown.pair;
  const Rect body{{area.min.x, area.min.y + ui.px(4)}, area.max};
  const DrawnMap map =
      draw_map_with_axes(ui, kScoreGrid, view, axes,
                         {.area = body, .most_height = body.height() - ui.px(kReadout + 16)}, {.own = &picked});
  if (picked && *picked != shown.pair) ui.session.view.score.pair = picked;
  const Cell at = map.at.value_or(shown.pair);
  const Rect box{{area.min.x + pad, map.bottom + ui.px(8)}, {area.max.x - pad, map.bottom + ui.px(8 + kReadout)}};
  Rect line = readout_line(ui, box, true);
  const std::string words = pair_words(shown, at), number = number_label(shown.found.terms[shown.place_of(at)], 4);
  const float width = std::ceil(text_width(ui, Type::mono_bold12, number)) + 1;
  text_in(ui, take_right(line, width, ui.px(10)), Type::mono_bold12, ui.colors.text, number, 1);
  text_in(ui, line, Type::words12, ui.colors.text, shortened(ui, Type::words12, words, line.width()));
  ui.mark("score/readout: " + words + " " + number, box);
  if (map.focused && ui.take_key(KeyName::enter)) open_writer(ui, shown, shown.pair);
}

}  // namespace headscope::ui

// The head's map beside its points, and the numbers of the pair.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/scatter/scatter_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLine = 26, kTwoLinesBelow = 820;

HeatmapView view_of_weights(Ui& ui, const ScatterShown& shown) {
  PanelData& data = shown.data;
  const std::int64_t batch = shown.selection.batch, head = shown.selection.head;
  HeatmapView view;
  view.matrix = data.matrix(StageId::weights, batch, head);
  view.mask = data.mask(StageId::weights);
  view.batch = batch;
  view.head = head;
  view.map = color_map_of(ui, true);
  view.range = data.range(ui.session.view, StageId::weights, batch, head);
  view.large = large_map_of(data, StageId::weights, batch, head, ui.session.view.pooling);
  if (!view.large && view.range.per_row) {
    view.row_scale = &data.row_scale(StageId::weights, batch, head, view.map, view.range.log_scale);
  }
  return view;
}

std::string coordinates_of(const std::vector<ScatterPoint>& points, std::int64_t index) {
  const ScatterPoint& point = points[static_cast<std::size_t>(index)];
  if (std::isnan(point.x)) return "not finite";
  return fmt::format("({}, {})", number_label(point.x, 3), number_label(point.y, 3));
}

// "score 1.2340   weight 0.8965".
std::string numbers_of_pair(const ScatterShown& shown, const ScatterPair& pair) {
  std::string words;
  for (const auto& [stage, name] : {std::pair{StageId::scores, "score"}, {StageId::weights, "weight"}}) {
    const Stage* const found = shown.data.trace().find(stage);
    if (found == nullptr) continue;
    const float value = found->tensor.at({shown.selection.batch, shown.selection.head, pair.query, pair.key});
    words =
        fmt::format("{}{}{} {}", words, words.empty() ? "" : "   ", name, number_label(static_cast<double>(value), 4));
  }
  return words;
}

// A token in its colour, with its place in the plane; cuts it off the line.
void draw_token(Ui& ui, const ScatterShown& shown, bool query, std::int64_t index, Rect& line) {
  const std::vector<std::string>& names = shown.data.rows(query ? StageId::query : StageId::key);
  const QueryKeyScatter& scatter = shown.scatter();
  const auto piece = [&](Type type, Rgba color, const std::string& words, float gap) {
    if (line.width() < ui.px(10)) return;
    const float width = std::min(line.width(), std::ceil(text_width(ui, type, words)) + 1);
    text_in(ui, take_left(line, width, ui.px(gap)), type, color, words);
  };
  piece(Type::mono12, query ? ui.colors.query : ui.colors.key,
        shortened_to(ui, Type::mono12, token_or_index(names, index), ui.px(140)), 6);
  piece(Type::words12, ui.colors.text2, fmt::format("{} {}", query ? "query" : "key", index), 6);
  piece(Type::mono12, ui.colors.text, coordinates_of(query ? scatter.queries : scatter.keys, index), 14);
}

}  // namespace

void draw_scatter_map(Ui& ui, const ScatterShown& shown, const Rect& area) {
  ViewState& state = ui.session.view;
  HeatmapView view = view_of_weights(ui, shown);
  const MapAxes axes{shown.data.rows(StageId::weights), shown.data.columns(StageId::weights)};
  const ScatterPair& hovered = shown.hovered;
  std::optional<Cell> marked;
  if (hovered.query >= 0 || hovered.key >= 0) marked = Cell{hovered.query, hovered.key};
  // The picked cell of a stage with features is none of this map; it stays until another one is picked here.
  const bool of_map = is_score_like(state.stage);
  const std::optional<Cell> other = of_map ? std::nullopt : std::exchange(state.cell, std::nullopt);
  draw_map_with_axes(ui, kScatterMap, view, axes,
                     {.area = area, .most_height = std::max(ui.px(80), area.height() - ui.px(8))},
                     {.picked = true, .marked = marked});
  if (of_map) return;
  const std::optional<Cell> picked = std::exchange(state.cell, other);
  if (!picked) return;
  select_stage(state, StageId::weights);
  state.cell = picked;
}

float scatter_readout_height(const Ui& ui, float width) {
  return ui.px(width < ui.px(kTwoLinesBelow) ? 2 * kLine - 6 : kLine);
}

void draw_scatter_readout(Ui& ui, const ScatterShown& shown, const Rect& area) {
  const ScatterPair pair = shown.pair();
  Rect line = readout_line(ui, area, true);
  std::string said;
  if (pair.query < 0 && pair.key < 0) {
    said = "Point at a mark or at a cell.";
    text_in(ui, line, Type::words12, ui.colors.text3, said);
  } else {
    Rect numbers = line;
    if (area.height() > ui.px(kLine) + 1) {
      line.max.y = std::round(area.center().y);
      numbers.min.y = line.max.y;
    }
    if (pair.whole()) {
      said = numbers_of_pair(shown, pair);
      const float width = std::ceil(text_width(ui, Type::mono_bold12, said)) + 1;
      text_in(ui, numbers, Type::mono_bold12, ui.colors.text, said, numbers.min.y == line.min.y ? 1 : 0);
      if (numbers.min.y == line.min.y) line.max.x = std::max(line.min.x, line.max.x - width - ui.px(14));
    }
    if (pair.query >= 0) draw_token(ui, shown, true, pair.query, line);
    if (pair.key >= 0) draw_token(ui, shown, false, pair.key, line);
  }
  ui.mark("scatter/readout: " + said, area);
}

}  // namespace headscope::ui

// The map of a sweep: how far each patch moves the metric, around zero, and what it says in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/word_grid.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/stage_facts.h"
#include "app/ui/sweep/sweep_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap_spec.h"
#include "core/picture/palette.h"

namespace headscope::ui {
namespace {

constexpr float kWords = 96, kLine = 20;

// What is drawn: a sweep with its places, and the largest change among the known cells.
struct Drawn {
  const Sweep& sweep;
  const SweepQuery& query;
  std::size_t known = 0;
  SweepPlaces places;
  double largest = 0;
  const SweepCell* farthest = nullptr;  // null: no known cell changes anything

  double change(const SweepCell& cell) const { return cell.value - sweep.unpatched; }
  const SweepCell& at(Cell cell) const { return sweep.cells[places.index(cell)]; }
  bool is_known(Cell cell) const { return places.index(cell) < known; }
};

Drawn drawn_of(const Sweeps::Result& result) {
  const Sweep& sweep = result.answer->sweep;
  Drawn drawn{sweep, result.question, result.answer->known, sweep_places(sweep, result.question.patch), 0, nullptr};
  for (std::size_t k = 0; k < drawn.known; ++k) {
    const double change = drawn.change(sweep.cells[k]);
    if (!std::isfinite(change) || !(std::fabs(change) > drawn.largest)) continue;
    drawn.largest = std::fabs(change);
    drawn.farthest = &sweep.cells[k];
  }
  return drawn;
}

std::string token_at(const Trace& trace, std::int64_t position) {
  return visible_piece(token_or_index(trace.inputs->tokens, position));
}

// "layer 1, head 7", "layer 0, position 4 cat", "layer 1, weights".
std::string place_words(const Drawn& drawn, const SweepCell& cell) {
  if (cell.head) return fmt::format("layer {}, head {}", cell.layer, *cell.head);
  if (!cell.position) return fmt::format("layer {}, {}", cell.layer, cell.stage);
  return fmt::format("layer {}, position {} {}", cell.layer, *cell.position,
                     token_at(*drawn.sweep.trace, *cell.position));
}

std::string change_words(const Drawn& drawn, const SweepCell& cell) {
  const double change = drawn.change(cell);
  return fmt::format("{} ({}{})", number_label(cell.value, 4), change > 0 ? "+" : "", number_label(change, 4));
}

// "logit of 'ink' (28) less that of 'box' (6), at 5 cat".
std::string metric_words(const Drawn& drawn) {
  const Sweep& sweep = drawn.sweep;
  const std::string words = sweep_metric_text(*sweep.trace->model->checkpoint, sweep.metric);
  if (sweep.metric.kind == SweepMetric::Kind::loss) return words;
  return words + fmt::format(", at {} {}", sweep.position, token_at(*sweep.trace, sweep.position));
}

void draw_words(Ui& ui, const Drawn& drawn, std::optional<Cell> shown, const Rect& area) {
  const ValueRange range{drawn.largest > 0 ? -drawn.largest : -1, drawn.largest > 0 ? drawn.largest : 1, false, false};
  const float bar = std::min(ui.px(200), area.width() / 3);
  color_bar(ui, {{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar, area.min.y + ui.px(18)}},
            color_map_of(ui, false), range, true);
  const Rect beside{{area.min.x + bar + ui.px(16), area.min.y}, area.max};
  float y = area.min.y + ui.px(2);
  const auto line = [&](Rgba color, const std::string& words) {
    text_in(ui, row(beside, y, ui.px(kLine)), Type::words12, color, words);
  };
  const bool noise = drawn.query.direction == SweepDirection::noise;
  line(ui.colors.text2, "change of the " + metric_words(drawn));
  const std::string source = drawn.sweep.source ? number_label(*drawn.sweep.source, 4) : "none: no partner";
  line(ui.colors.text2, fmt::format("zero is {} as it ran, {}; {} has {}", noise ? "A" : "B",
                                    number_label(drawn.sweep.unpatched, 4), noise ? "B" : "A", source));
  if (drawn.known < drawn.sweep.cells.size()) {
    line(ui.colors.warn, fmt::format("computing: {} of {}", drawn.known, drawn.sweep.cells.size()));
  } else if (drawn.farthest == nullptr) {
    line(ui.colors.text, "no patch changes it");
  } else {
    line(ui.colors.text,
         "largest change: " + place_words(drawn, *drawn.farthest) + ": " + change_words(drawn, *drawn.farthest));
  }
  if (!shown || !drawn.is_known(*shown)) return;
  const std::string here = place_words(drawn, drawn.at(*shown)) + ": " + change_words(drawn, drawn.at(*shown));
  line(ui.colors.text, here);
  ui.mark("sweep/readout: " + here, area);
}

// The head, or the layer, of a cell.
void open_cell(Ui& ui, const SweepCell& cell) {
  open_one_layer(ui, cell.layer, cell.head.value_or(-1));
  if (cell.position) ui.session.view.cell = Cell{*cell.position, *cell.position};
}

}  // namespace

std::size_t SweepPlaces::index(Cell at) const {
  return static_cast<std::size_t>(layers_are_columns ? at.column * rows + at.row : at.row * columns + at.column);
}

SweepPlaces sweep_places(const Sweep& sweep, SweepPatch patch) {
  const auto layers = static_cast<std::int64_t>(sweep.trace->model->layers.size());
  const std::int64_t others = std::ssize(sweep.cells) / layers;
  return patch == SweepPatch::stages ? SweepPlaces{others, layers, true} : SweepPlaces{layers, others, false};
}

void draw_sweep_grid(Ui& ui, const Sweeps::Result& result, const Rect& area) {
  const Drawn drawn = drawn_of(result);
  const float pad = ui.px(size::panel_padding);
  const SweepPatch patch = drawn.query.patch;
  const ColorMap map = color_map_of(ui, false);
  const double end = drawn.largest > 0 ? drawn.largest : 1;
  const ValueScale scale = value_scale({-end, end, false, false});
  std::optional<Cell>& picked = ui.session.view.sweep.cell;
  WordGrid grid;
  grid.name = kSweepGrid;
  grid.cell_name = "sweep/cell/";
  grid.rows = drawn.places.rows;
  grid.columns = drawn.places.columns;
  if (picked && picked->row < grid.rows && picked->column < grid.columns) grid.picked = picked;
  grid.cell = [&](std::int64_t row, std::int64_t column) {
    if (!drawn.is_known({row, column})) return WordCell{ui.colors.well, "", ""};
    const auto change = static_cast<float>(drawn.change(drawn.at({row, column})));
    if (!std::isfinite(change)) return WordCell{kNanColor, "NaN", ""};
    return WordCell{color_table(map)[static_cast<std::size_t>(scale.entry(change))], number_label(change, 2), ""};
  };
  const Sweep& sweep = drawn.sweep;
  const auto layer = [](std::int64_t at) { return fmt::format("layer {}", at); };
  // Those of the first layer come first, and every layer has the same.
  const auto stage = [&](std::int64_t at) { return sweep.cells[static_cast<std::size_t>(at)].stage; };
  grid.row_name = [&](std::int64_t at) { return patch == SweepPatch::stages ? stage(at) : layer(at); };
  grid.column_name = [&](std::int64_t at) {
    return patch == SweepPatch::stages  ? layer(at)
           : patch == SweepPatch::heads ? fmt::format("head {}", at)
                                        : token_at(*sweep.trace, at);
  };
  grid.column_color = patch == SweepPatch::positions ? ui.colors.query : ui.colors.text2;
  const WordGridInput input =
      draw_word_grid(ui, grid, {{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y - ui.px(kWords + 4)}});
  if (input.hovered && patch == SweepPatch::positions) ui.state.next_hover.query = input.hovered->column;
  if (input.moved) picked = input.moved;
  if (input.opened) open_cell(ui, drawn.at(*input.opened));
  draw_words(ui, drawn, input.hovered ? input.hovered : grid.picked,
             {{area.min.x + pad + ui.px(grid.gutter), input.bottom + ui.px(4)}, {area.max.x - pad, area.max.y}});
}

}  // namespace headscope::ui

// The maps of a sweep: how far each patch moves the metric, around zero, and what they say in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/word_grid.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/stage_facts.h"
#include "app/ui/sweep/sweep_panel.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap_spec.h"
#include "core/picture/palette.h"
#include "core/sweep/sweep_map.h"

namespace headscope::ui {
namespace {

constexpr float kWords = 116, kLine = 20, kCaption = 18;
constexpr int kLetters = 6;  // that the narrowest cell holds

// What is drawn: a sweep with its places, the largest change of all maps, and how changes are written in cells.
struct Drawn {
  const Sweep& sweep;
  const SweepQuery& query;
  std::size_t known = 0;  // of the runs
  SweepMap map;
  double largest = 0;
  CellNumbers numbers = {};

  bool runs() const { return query.estimate != SweepEstimate::alone; }
  bool estimates() const { return query.estimate != SweepEstimate::none; }
  std::size_t known_of(bool estimated) const { return estimated ? sweep.cells.size() : known; }
};

Drawn drawn_of(const Sweeps::Result& result) {
  const Sweep& sweep = result.answer->sweep;
  Drawn drawn{sweep, result.question, result.answer->known, sweep_map(sweep)};
  for (const bool estimated : {false, true}) {
    if (estimated ? !drawn.estimates() : !drawn.runs()) continue;
    const SweepCell* farthest = farthest_cell(sweep, drawn.known_of(estimated), estimated);
    if (farthest == nullptr) continue;
    drawn.largest = std::max(drawn.largest, std::fabs(change_of(sweep, *farthest, estimated)));
  }
  drawn.numbers = cell_numbers({-drawn.largest, drawn.largest}, {kLetters, kLetters});
  return drawn;
}

std::string token_at(const Trace& trace, std::int64_t position) {
  return visible_piece(token_or_index(trace.inputs->tokens, position));
}

std::string words_of_swept(const Drawn& drawn, const SweepCell& cell) {
  std::vector<std::string> tokens;
  for (std::int64_t at = 0; cell.position && at <= *cell.position; ++at) {
    tokens.push_back(token_at(*drawn.sweep.trace, at));
  }
  return sweep_cell_name(cell, tokens);
}

std::string change_words(const Drawn& drawn, const SweepCell& cell, bool estimated) {
  const double change = change_of(drawn.sweep, cell, estimated);
  return fmt::format("{} ({}{})", number_label(drawn.sweep.unpatched + change, 4), change > 0 ? "+" : "",
                     number_label(change, 4));
}

// "logit of 'ink' (28) less that of 'box' (6), at 5 cat".
std::string metric_words(const Drawn& drawn) {
  const Sweep& sweep = drawn.sweep;
  const std::string words = sweep_metric_text(*sweep.trace->model->checkpoint, sweep.metric);
  if (!sweep.metric.has_position()) return words;
  return words + fmt::format(", at {} {}", sweep.position, token_at(*sweep.trace, sweep.position));
}

std::string zero_words(const Drawn& drawn) {
  const std::string own = number_label(drawn.sweep.unpatched, 4);
  if (drawn.query.ablation) {
    return fmt::format("zero is the run as it was, {}; a part is set to {}", own,
                       *drawn.query.ablation == Ablation::zero ? "zeros" : "its mean over the positions");
  }
  const bool noise = drawn.query.direction == SweepDirection::noise;
  const std::string source = drawn.sweep.source ? number_label(*drawn.sweep.source, 4) : "none: no partner";
  return fmt::format("zero is {} as it ran, {}; {} has {}", noise ? "A" : "B", own, noise ? "B" : "A", source);
}

std::string progress_or_largest(const Drawn& drawn) {
  const bool estimated = !drawn.runs();
  if (!estimated && drawn.known < drawn.sweep.cells.size()) {
    return fmt::format("computing: {} of {}", drawn.known, drawn.sweep.cells.size());
  }
  const SweepCell* farthest = farthest_cell(drawn.sweep, drawn.sweep.cells.size(), estimated);
  if (farthest == nullptr) return "no patch changes it";
  std::string words = fmt::format("largest {}change: {}: {}", estimated ? "estimated " : "",
                                  words_of_swept(drawn, *farthest), change_words(drawn, *farthest, estimated));
  if (drawn.query.estimate != SweepEstimate::beside) return words;
  return words + (drawn.sweep.correlation
                      ? fmt::format("; runs and estimates correlate {:.3f} (Pearson)", *drawn.sweep.correlation)
                      : "; runs and estimates have no correlation: one of both is the same in all cells");
}

std::string finding_of(const Drawn& drawn) {
  const bool estimated = !drawn.runs();
  const SweepCell* farthest = farthest_cell(drawn.sweep, estimated ? drawn.sweep.cells.size() : drawn.known, estimated);
  if (farthest == nullptr) return "";
  return fmt::format("The {} is {}; {} {} it most, to {}.", metric_words(drawn), number_label(drawn.sweep.unpatched, 3),
                     words_of_swept(drawn, *farthest), estimated ? "would change" : "changes",
                     number_label(drawn.sweep.unpatched + change_of(drawn.sweep, *farthest, estimated), 3));
}

std::string readout(const Drawn& drawn, const SweepCell& cell) {
  std::string words = words_of_swept(drawn, cell) + ": ";
  if (drawn.runs()) words += change_words(drawn, cell, false);
  if (drawn.estimates()) {
    words += fmt::format("{}estimated {}", drawn.runs() ? ", " : "", change_words(drawn, cell, true));
  }
  return words;
}

void draw_words(Ui& ui, const Drawn& drawn, const SweepCell* shown, const Rect& area) {
  const double end = drawn.largest > 0 ? drawn.largest : 1;
  const float bar = std::min(ui.px(200), area.width() / 3);
  color_bar(ui, {{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar, area.min.y + ui.px(18)}},
            color_map_of(ui, false), {-end, end, false, false}, true);
  const Rect beside{{area.min.x + bar + ui.px(16), area.min.y}, area.max};
  float y = area.min.y + ui.px(2);
  const auto line = [&](Rgba color, const std::string& words) {
    text_in(ui, row(beside, y, ui.px(kLine)), Type::words12, color, words);
  };
  line(ui.colors.text2, "change of the " + metric_words(drawn));
  line(ui.colors.text2, zero_words(drawn) + "; " + kBlankWords);
  const bool computing = drawn.runs() && drawn.known < drawn.sweep.cells.size();
  line(computing ? ui.colors.warn : ui.colors.text, progress_or_largest(drawn));
  if (shown == nullptr) return;
  const std::string here = readout(drawn, *shown);
  line(ui.colors.text, here);
  ui.mark("sweep/readout: " + here, area);
}

// The head, or the layer, of a cell: of a path into a head the one that it begins at.
void open_cell(Ui& ui, const Drawn& drawn, const SweepCell& cell) {
  std::int64_t layer = cell.layer, head = cell.head.value_or(-1);
  if (drawn.sweep.into) {
    layer = cell.from->layer;
    head = cell.from->head;
  } else if (cell.head && (cell.stage == stage_name(StageId::key) || cell.stage == stage_name(StageId::value))) {
    head *= drawn.sweep.trace->num_heads() / drawn.sweep.trace->inputs->num_kv_heads;  // the first of its group
  }
  open_one_layer(ui, layer, head);
  if (cell.position) ui.session.view.cell = Cell{*cell.position, *cell.position};
}

// The cell of the sweep at a place, if it has its number.
const SweepCell* cell_at(const Drawn& drawn, bool estimated, Cell at) {
  const std::optional<std::size_t> index = drawn.map.cell(at.row, at.column);
  return index && *index < drawn.known_of(estimated) ? &drawn.sweep.cells[*index] : nullptr;
}

WordGrid grid_of_cells(Ui& ui, const Drawn& drawn, bool estimated) {
  const ColorMap map = color_map_of(ui, false);
  const double end = drawn.largest > 0 ? drawn.largest : 1;
  const ValueScale scale = value_scale({-end, end, false, false});
  const Rgba well = ui.colors.well;
  WordGrid grid;
  grid.name = estimated && drawn.runs() ? kSweepEstimates : kSweepGrid;
  grid.cell_name = estimated && drawn.runs() ? "sweep/estimated/" : "sweep/cell/";
  grid.rows = drawn.map.rows;
  grid.columns = drawn.map.columns;
  grid.cell = [&drawn, estimated, map, scale, well](std::int64_t row, std::int64_t column) {
    const SweepCell* cell = cell_at(drawn, estimated, {row, column});
    if (cell == nullptr) return WordCell{well, "", ""};
    const auto change = static_cast<float>(change_of(drawn.sweep, *cell, estimated));
    if (!std::isfinite(change)) return WordCell{kNanColor, "NaN", ""};
    return WordCell{color_table(map)[static_cast<std::size_t>(scale.entry(change))],
                    cell_number(drawn.numbers, static_cast<double>(change)), ""};
  };
  grid.row_name = [&drawn](std::int64_t at) { return drawn.map.row_names[static_cast<std::size_t>(at)]; };
  const bool positions = drawn.map.column_word == "position";
  grid.column_name = [&drawn, positions](std::int64_t at) {
    return positions ? token_at(*drawn.sweep.trace, at) : fmt::format("{} {}", drawn.map.column_word, at);
  };
  grid.column_color = positions ? ui.colors.query : ui.colors.text2;
  if (drawn.map.row_word != "layer" && drawn.map.row_word != "stage") grid.gutter = 104;
  const std::optional<Cell>& picked = ui.session.view.sweep.cell;
  if (picked && picked->row < grid.rows && picked->column < grid.columns) grid.picked = picked;
  return grid;
}

struct Shown {
  float bottom = 0;
  std::optional<Cell> cell;  // hovered, else picked
};

void draw_map(Ui& ui, const Drawn& drawn, bool estimated, Rect area, Shown& shown) {
  if (drawn.runs() && drawn.estimates()) {
    const float caption = ui.px(kCaption);
    text_in(ui, {area.min, {area.max.x, area.min.y + caption}}, Type::words12, ui.colors.text2,
            estimated ? "estimates: gradient x difference" : "runs");
    area.min.y += caption;
  }
  const WordGrid grid = grid_of_cells(ui, drawn, estimated);
  const WordGridInput input = draw_word_grid(ui, grid, area);
  if (input.hovered && drawn.map.column_word == "position") ui.state.next_hover.query = input.hovered->column;
  if (input.moved) ui.session.view.sweep.cell = input.moved;
  if (input.opened) {
    if (const SweepCell* cell = cell_at(drawn, estimated, *input.opened)) open_cell(ui, drawn, *cell);
  }
  shown.bottom = std::max(shown.bottom, input.bottom);
  if (input.hovered || !shown.cell) shown.cell = input.hovered ? input.hovered : grid.picked;
}

}  // namespace

void draw_sweep_grid(Ui& ui, const Sweeps::Result& result, const Rect& area) {
  const Drawn drawn = drawn_of(result);
  const float pad = ui.px(size::panel_padding);
  Rect maps{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y - ui.px(kWords + 4)}};
  Shown shown;
  if (drawn.runs() && drawn.estimates()) {
    const Rect left = take_left(maps, std::round((maps.width() - ui.px(12)) / 2), ui.px(12));
    draw_map(ui, drawn, false, left, shown);
    draw_map(ui, drawn, true, maps, shown);
  } else {
    draw_map(ui, drawn, drawn.estimates(), maps, shown);
  }
  say_finding(ui, MainView::sweep, finding_of(drawn));
  const SweepCell* cell = shown.cell ? cell_at(drawn, !drawn.runs(), *shown.cell) : nullptr;
  draw_words(ui, drawn, cell, {{area.min.x + pad, shown.bottom + ui.px(4)}, {area.max.x - pad, area.max.y}});
}

}  // namespace headscope::ui

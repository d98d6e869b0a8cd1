// The view 'score': what is asked of the background, its controls, and where its parts stand.
#include "app/ui/score/score_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/session/score_cell.h"
#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panel_data.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/stage_facts.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/heads/look_sentence.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostPairs = 200;

// The head that is shown, of a trace that may have fewer.
std::int64_t head_of(const Ui& ui, const Trace& trace) {
  return std::clamp<std::int64_t>(ui.session.view.head, 0, trace.num_heads() - 1);
}

// The answer to what is asked now; until there is one the last. Null: none yet.
std::shared_ptr<const Scores::Result> known_score(Ui& ui, const std::shared_ptr<const Trace>& trace, const Cell& cell) {
  std::shared_ptr<const Scores::Result>& last = ui.state.panels.get<ScorePanelState>().last;
  // Of a model whose layers are still being computed there is none.
  if (trace->model->final_hidden.empty() || trace->preview) return last;
  ScoreQuestion question{head_of(ui, *trace), cell.row, cell.column, ui.session.view.score.by};
  const auto result = ui.session.background.scores.want({trace, question});
  if (result != nullptr) last = result;
  return last;
}

// What is derived from an answer, once.
const ScorePanelState& made_of(Ui& ui, const std::shared_ptr<const Scores::Result>& result) {
  ScorePanelState& state = ui.state.panels.get<ScorePanelState>();
  if (state.made == result) return state;
  state.made = result;
  const ScoreWriters& found = *result->answer;
  const auto rows = static_cast<std::int64_t>(found.queries.size()),
             columns = static_cast<std::int64_t>(found.keys.size());
  state.terms =
      Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::vector<float>(found.terms.begin(), found.terms.end()));
  state.rows.clear();
  state.columns.clear();
  for (const ScoreWriter& writer : found.queries) state.rows.push_back(score_writer_label(writer));
  for (const ScoreWriter& writer : found.keys) state.columns.push_back(score_writer_label(writer));
  state.largest = 0;
  for (const double term : found.terms) {
    if (std::isfinite(term)) state.largest = std::max(state.largest, std::fabs(term));
  }
  state.order.resize(found.terms.size());
  std::iota(state.order.begin(), state.order.end(), std::size_t{0});
  const auto listed = state.order.begin() + static_cast<std::ptrdiff_t>(std::min(kMostPairs, state.order.size()));
  std::partial_sort(state.order.begin(), listed, state.order.end(), [&](std::size_t a, std::size_t b) {
    const double x = std::fabs(found.terms[a]), y = std::fabs(found.terms[b]);
    return x > y || (x == y && a < b);
  });
  state.order.erase(listed, state.order.end());
  return state;
}

ScoreShown shown_of(Ui& ui, const std::shared_ptr<const Scores::Result>& result) {
  const ScorePanelState& made = made_of(ui, result);
  const ScoreWriters& found = *result->answer;
  const auto rows = static_cast<std::int64_t>(found.queries.size()),
             columns = static_cast<std::int64_t>(found.keys.size());
  const auto strongest = static_cast<std::int64_t>(made.order.front());
  const Cell pair = ui.session.view.score.pair.value_or(Cell{strongest / columns, strongest % columns});
  const Cell inside{std::clamp<std::int64_t>(pair.row, 0, rows - 1),
                    std::clamp<std::int64_t>(pair.column, 0, columns - 1)};
  return {*result->question.trace, result->question.question, found, made, inside};
}

void draw_score_header(Ui& ui, const Trace& trace, const Rect& area) {
  ViewState& view = ui.session.view;
  Rect all = area;
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "score/colormap", take_right(line, ui.px(92), ui.px(6)), false);
  int by = static_cast<int>(view.score.by);
  if (segments(ui, "score/by", take_right(line, ui.px(180), ui.px(6)), {"components", "heads"}, by,
               {true, false, "Attention of a layer as one writer, or every head of it."})) {
    view.score.by = static_cast<AttributionBy>(by);
    view.score.pair.reset();  // the writers are others
  }
  const auto steps = [&](const char* name, const char* label, std::int64_t& value, std::int64_t count,
                         const char* tooltip) {
    const Rect place = take_right(line, ui.px(78), ui.px(6));
    const bool changed = index_stepper(ui, name, place, value, count, {true, false, tooltip});
    text_in(ui, take_right(line, std::ceil(text_width(ui, Type::words12, label)) + 1, ui.px(6)), Type::words12,
            ui.colors.text2, label);
    return changed;
  };
  std::int64_t head = head_of(ui, trace), layer = trace.model->layer;
  if (steps("score/head", "head", head, trace.num_heads(), "The head whose score is taken apart.")) view.head = head;
  const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
  if (steps("score/layer", "layer", layer, layers, "The layer of that head: it becomes the request's.")) {
    ui.session.end_undo_step();
    ui.session.draft.layer = layer;
  }
  all.max.x = line.max.x;
  panel_header(ui, all, fmt::format("Layer {}, head {}", layer, head), "", static_cast<int>(head));
}

// The head's weights, of which a cell is picked. Returns the y below.
float draw_weights(Ui& ui, PanelData& data, const Cell& cell, const Rect& area) {
  ViewState& view = ui.session.view;
  const Trace& trace = data.trace();
  const std::int64_t head = head_of(ui, trace);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(36)}};
  const std::vector<std::string> rows = trace.query_labels(), columns = trace.key_labels();
  const std::string pair = fmt::format("{} → {}", token_or_index(rows, cell.row), token_or_index(columns, cell.column));
  panel_header(ui, header, fmt::format("Layer {}, head {}", trace.model->layer, head), given(pair),
               static_cast<int>(head));
  HeatmapView map;
  map.matrix = data.matrix(StageId::weights, 0, head);
  map.mask = data.mask(StageId::weights);
  map.head = head;
  map.map = color_map_of(ui, true);
  map.range = {0, 1, false, false};
  map.large = large_map_of(data, StageId::weights, 0, head, view.pooling);
  std::optional<Cell> picked = cell;
  const DrawnMap drawn = draw_map_with_axes(
      ui, "score/weights", map, {rows, columns},
      {.area = {{area.min.x, header.max.y}, area.max}, .most_height = area.max.y - header.max.y - ui.px(4)},
      {.own = &picked});
  if (picked && *picked != cell) {
    if (!is_score_like(view.stage)) select_stage(view, StageId::weights);
    view.cell = picked;
  }
  return drawn.bottom;
}

// "green looks at book with a score of 10.73: mlp 0 at green and attention 2 at book give 1.48 of it, ...".
std::string finding_of(const ScoreShown& shown) {
  const std::size_t at = shown.made.order.front(), columns = shown.found.keys.size();
  const std::string query = without_blanks(token_or_index(shown.trace.query_labels(), shown.question.query));
  const std::string key = without_blanks(token_or_index(shown.trace.key_labels(), shown.question.key));
  return fmt::format(
      "{} looks at {} with a score of {}: what {} wrote at {} meets what {} wrote at {}, {} of it, the "
      "strongest of {} pairs.",
      query, key, number_label(shown.found.total, 2), score_writer_label(shown.found.queries[at / columns]), query,
      score_writer_label(shown.found.keys[at % columns]), key, number_label(shown.found.terms[at], 2),
      shown.found.terms.size());
}

// Beside the map or below it.
void draw_detail(Ui& ui, const Cell& cell, const ScoreShown* shown, const Rect& area) {
  PanelData* data = panel_data(ui);
  if (data == nullptr) return;
  // The pairs have what a small place has: the weights are what Layer shows.
  const bool small = area.width() < ui.px(480) && area.height() < ui.px(420);
  if (small && shown != nullptr) return draw_score_pairs(ui, *shown, area);
  const bool wide = area.width() > area.height() * 1.4f;  // below the map: weights and pairs side by side
  Rect weights = area, pairs = area;
  if (wide) {
    weights.max.x = pairs.min.x = std::round(area.center().x);
    vertical_line(ui, pairs.min.x, area.min.y, area.max.y, ui.colors.line);
  } else {
    weights.max.y = std::round(area.min.y + area.height() * 0.55f);
  }
  const float bottom = draw_weights(ui, *data, cell, weights);
  if (shown == nullptr) return;
  if (!wide) {
    pairs.min.y = std::min(weights.max.y, bottom) + ui.px(8);
    horizontal_line(ui, pairs.min.x, pairs.max.x, pairs.min.y, ui.colors.line);
  }
  draw_score_pairs(ui, *shown, pairs);
}

}  // namespace

std::string ScoreShown::query_token() const {
  return visible_piece(token_or_index(trace.query_labels(), question.query));
}

std::string ScoreShown::key_token() const {
  return visible_piece(token_or_index(trace.key_labels(), question.key));
}

void open_writer(Ui& ui, const ScoreShown& shown, const Cell& pair) {
  const ScoreWriter& writer = shown.found.keys[static_cast<std::size_t>(pair.column)];
  if (writer.layer) open_one_layer(ui, *writer.layer, writer.head.value_or(-1));
}

void draw_score_panel(Ui& ui, const Rect& area) {
  ui.mark("score", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr || trace->query_len() == 0) return;
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  draw_score_header(ui, *trace, header);
  Rect body{{area.min.x, header.max.y}, area.max};
  const Rect detail = take_detail(ui, body, {.share = 0.42f, .widest = 560});
  const Cell cell = score_cell(*trace, ui.session.view);
  const auto result = known_score(ui, trace, cell);
  if (result == nullptr || !result->answer) {
    draw_detail(ui, cell, nullptr, detail);
    if (result == nullptr) return view_sentence(ui, "score", body, ui.colors.text2, "Taking the score apart …");
    return view_sentence(ui, "score", body, ui.colors.text, result->failure);
  }
  const ScoreShown shown = shown_of(ui, result);
  say_finding(ui, MainView::score, finding_of(shown));
  draw_score_map(ui, shown, body);
  draw_detail(ui, cell, &shown, detail);
}

}  // namespace headscope::ui

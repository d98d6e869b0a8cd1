// What the picked head does with every token of the vocabulary, each with each, as two maps that are drawn from tiles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/session/session.h"
#include "app/ui/circuits/circuits_panel.h"
#include "app/ui/data_versions.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/panel_data.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 26, kNames = 84, kAbove = 56, kBar = 62, kReadout = 26, kSentence = 22, kBetween = 20,
                kNamedFrom = 11;

// One of both maps, and how its cells are spoken of.
struct WholeMap {
  const char *name, *title, *does;  // "looks at"
  VocabularyMap& map;
};

VocabularyMap new_map(Ui& ui, const Tensor& matrix) {
  VocabularyMap map;
  std::uint64_t& made = ui.state.panels.get<DataVersions>().made;
  made += 1;
  map.version = made;
  if (matrix.empty()) return map;
  map.large = is_too_large(matrix.dim(0), matrix.dim(1), false);
  map.matrix = map.large ? matrix : matrix.dense_copy();
  map.range = map.large ? ValueRange{-1, 1, false, false} : automatic_range(map.matrix, false, true, nullptr);
  return map;
}

HeatmapView view_of_map(Ui& ui, const VocabularyMap& map) {
  HeatmapView view;
  view.matrix = map.matrix;
  view.weight_like = false;
  view.map = color_map_of(ui, false);
  view.range = map.range;
  if (!map.large) return view;
  LargeMap& large = view.large.emplace();
  large.key = {map.version, StageId::raw_scores, 0, 0};
  large.source.matrix = map.matrix;
  large.pooling = ui.session.view.pooling;
  // Of what its pictures have shown so far.
  if (const auto seen = ui.session.background.maps.last_whole(large.key, map.matrix, large.pooling)) {
    const double largest = std::max(std::abs(seen->low), std::abs(seen->high));
    if (seen->low <= seen->high && largest > 0) view.range = {-largest, largest, false, false};
  }
  return view;
}

// Names the tokens of a side that have room for names, and those of a cell.
void name_tokens(const Trace& trace, std::vector<std::string>& pieces, const Range& seen, bool named) {
  const auto name = [&](std::int64_t id) {
    std::string& piece = pieces[static_cast<std::size_t>(id)];
    if (piece.empty()) piece = shown_piece(trace, id);
  };
  if (!named) return;
  for (std::int64_t id = seen.begin; id < seen.end; ++id) name(id);
}

// Names beside a side whose cells have room for them; else numbers.
void draw_token_names(Ui& ui, const CellGrid& grid, const std::vector<std::string>& pieces, const Rect& map,
                      const std::optional<Cell>& at) {
  static const std::vector<std::string> numbers;
  const double from = static_cast<double>(ui.px(kNamedFrom));
  draw_row_labels(ui, {{map.min.x, grid.area.min.y}, {grid.area.min.x - ui.px(8), grid.area.max.y}}, grid,
                  grid.cell_height >= from ? pieces : numbers, at ? at->row : -1, ui.colors.query);
  draw_column_labels(ui, {{grid.area.min.x, map.min.y}, {grid.area.max.x, grid.area.min.y}}, grid,
                     grid.cell_width >= from ? pieces : numbers, at ? at->column : -1, ui.colors.key);
}

void draw_cell_readout(Ui& ui, const Trace& trace, const WholeMap& of, const std::optional<Cell>& at, const Rect& box) {
  Rect line = readout_line(ui, box, at.has_value());
  if (!at) return;
  const std::string number = number_label(static_cast<double>(of.map.matrix.at({at->row, at->column})), 4);
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::mono_bold12, number)) + 1, ui.px(10)), Type::mono_bold12,
          ui.colors.text, number, 1);
  const std::string words =
      fmt::format("{} {} {}", shown_piece(trace, at->row), of.does, shown_piece(trace, at->column));
  text_in(ui, line, Type::mono12, ui.colors.text, shortened_to(ui, Type::mono12, words, line.width()));
  ui.mark(fmt::format("circuits/all/{}: {} {}", of.name, words, number), box);
}

// What a pixel shows, and what one can do.
void draw_state(Ui& ui, const HeatmapView& view, const Rect& line) {
  const std::string hint = "The wheel zooms, dragging pans, Home fits, Enter asks about the row's token.";
  const std::string words = view.large ? map_sentence(*view.large, view.grid) : "";
  text_in(ui, line, Type::words11, ui.colors.text3, words.empty() ? hint : words + ". " + hint);
}

// Asks about the token of the picked row alone.
void ask_about(Ui& ui, const Trace& trace, const Cell& cell) {
  CircuitsView& view = ui.session.view.circuits;
  view.token = typed_name(trace, cell.row);
  view.show = CircuitsShow::tokens;
  ui.state.wants_frame = true;
}

void draw_whole_map(Ui& ui, const Trace& trace, const WholeMap& of, const Rect& area) {
  float y = area.min.y;
  text_in(ui, row(area, y, ui.px(kTitle)), Type::title12, ui.colors.text, of.title);
  if (of.map.matrix.empty()) {
    paragraph(ui, {{area.min.x, y}, area.max}, Type::words12, ui.colors.text2, "This model says no next token.");
    return;
  }
  HeatmapView view = view_of_map(ui, of.map);
  const Rect map{{area.min.x, y}, {area.max.x, area.max.y - ui.px(kReadout + kSentence + 10)}};
  const ImVec2 corner{map.min.x + ui.px(kNames), map.min.y + ui.px(kAbove)};
  const MapRoom room{corner, map.max.x - ui.px(kBar) - corner.x, map.max.y - corner.y};
  if (room.width < ui.px(60) || room.height < ui.px(60)) return;
  const std::int64_t rows = of.map.matrix.dim(0), columns = of.map.matrix.dim(1);
  const CellGrid fitted = of.map.large ? fitted_map(room, rows, columns, true)
                                       : fitted_square(corner, room.width, room.height, rows, columns);
  const std::string name = std::string("circuits/all/") + of.name;
  const HeatmapInput input = heatmap_input(ui, name, view, fitted, &of.map.viewport, &of.map.cell);
  if (input.clicked) of.map.cell = input.clicked;
  draw_heatmap_view(ui, view);
  const CellGrid& grid = view.grid;
  const std::optional<Cell> at = input.hovered ? input.hovered : of.map.cell;
  if (at) draw_crosshair(ui, grid, at->row, at->column);
  if (of.map.cell) draw_pick_frame(ui, grid.cell_rect(of.map.cell->row, of.map.cell->column), grid.area);
  std::vector<std::string>& pieces = ui.state.panels.get<CircuitsPanelState>().vocabulary.pieces;
  const double from = static_cast<double>(ui.px(kNamedFrom));
  name_tokens(trace, pieces, grid.row_range(), grid.cell_height >= from);
  name_tokens(trace, pieces, grid.column_range(), grid.cell_width >= from);
  draw_token_names(ui, grid, pieces, map, at);
  if (input.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(grid.area, -ui.px(3)), ui.px(3));
  const float bar = grid.area.max.x + ui.px(12);
  color_bar(ui, {{bar, corner.y}, {bar + ui.px(10), std::max(grid.area.max.y, corner.y + ui.px(60))}}, view.map,
            view.range, false);
  y = grid.area.max.y + ui.px(8);
  draw_cell_readout(ui, trace, of, at, row(area, y, ui.px(kReadout)));
  draw_state(ui, view, row(area, y, ui.px(kSentence)));
  const bool asks = input.double_clicked || (input.focused && of.map.cell && ui.take_key(KeyName::enter));
  if (asks && at) ask_about(ui, trace, *at);
}

float draw_vocabulary_controls(Ui& ui, const Trace& trace, const Rect& area) {
  const float pad = ui.px(size::panel_padding), top = area.min.y + ui.px(3);
  Rect line{{area.min.x + pad, top}, {area.max.x - pad, top + ui.px(size::control_height)}};
  const float bottom = line.max.y + ui.px(6);
  draw_head_steppers(ui, trace, line);
  int pooling = static_cast<int>(ui.session.view.pooling);
  if (segments(ui, "circuits/pooling", take_right(line, ui.px(108), ui.px(10)), {"max", "mean"}, pooling,
               {true, false,
                "What a pixel over many pairs of tokens shows: the number of the largest absolute value, or their "
                "mean."})) {
    ui.session.view.pooling = static_cast<Pooling>(pooling);
  }
  text_in(ui, line, Type::words12, ui.colors.text2, "of word embeddings alone: no positions, no biases");
  return bottom;
}

}  // namespace

void draw_circuits_vocabulary(Ui& ui, const Trace& trace, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect body{{area.min.x + pad, draw_vocabulary_controls(ui, trace, area)},
                  {area.max.x - pad, area.max.y - ui.px(6)}};
  const std::shared_ptr<const Checkpoint>& checkpoint = trace.model->checkpoint;
  const auto result =
      ui.session.background.vocabulary_maps.want({checkpoint, trace.model->backend, head_of_tokens(ui, trace)});
  if (result == nullptr || result->question.checkpoint != checkpoint) {
    return view_sentence(ui, "circuits", body, ui.colors.text2, "Computing …");
  }
  if (!result->answer) return view_sentence(ui, "circuits", body, ui.colors.text, result->failure);
  VocabularyDrawn& drawn = ui.state.panels.get<CircuitsPanelState>().vocabulary;
  if (drawn.of != result) {
    // Another head of the model: the same tokens stay in sight.
    const bool same = drawn.of != nullptr && drawn.of->question.checkpoint == checkpoint;
    VocabularyDrawn made{result, new_map(ui, result->answer->qk), new_map(ui, result->answer->ov), {}};
    if (same) {
      made.pieces = std::move(drawn.pieces);
      for (auto [to, from] : {std::pair{&made.qk, &drawn.qk}, {&made.ov, &drawn.ov}}) {
        to->viewport = from->viewport;
        to->cell = from->cell;
      }
    }
    const std::int64_t outputs = made.ov.matrix.empty() ? 0 : made.ov.matrix.dim(1);
    made.pieces.resize(static_cast<std::size_t>(std::max(made.qk.matrix.dim(0), outputs)));
    drawn = std::move(made);
  }
  const float gap = ui.px(kBetween), width = std::floor((body.width() - gap) / 2);
  draw_whole_map(ui, trace, {"qk", "Scores: how much each looks at each", "looks at", drawn.qk},
                 {body.min, {body.min.x + width, body.max.y}});
  draw_whole_map(ui, trace, {"ov", "Logits: what each raises where it is read", "raises", drawn.ov},
                 {{body.min.x + width + gap, body.min.y}, body.max});
}

}  // namespace headscope::ui

// What the picked head does with the tokens of a chosen set, each with each, as two maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/session/session.h"
#include "app/ui/circuits/circuits_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/named_map.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

constexpr float kSetTitle = 26, kSetReadout = 26, kSetGap = 20;

// One of both maps of a chosen set.
struct SetMap {
  const char *name, *title, *row_word, *column_word;
  const Tensor& numbers;
};

double largest_of(const Tensor& numbers) {
  double largest = 0;
  for (const float value : numbers.values()) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  return largest;
}

void draw_set_map(Ui& ui, const SetMap& of, const TypedTokens& set, double largest, const Rect& area) {
  float y = area.min.y;
  text_in(ui, row(area, y, ui.px(kSetTitle)), Type::title12, ui.colors.text, of.title);
  if (of.numbers.empty()) {
    paragraph(ui, {{area.min.x, y}, area.max}, Type::words12, ui.colors.text2, "This model says no next token.");
    return;
  }
  NamedMap map{.name = std::string("circuits/") + of.name, .view = {}, .rows = set.pieces, .columns = set.pieces};
  map.view.matrix = of.numbers;
  map.view.map = color_map_of(ui, false);
  const double end = largest > 0 ? largest : 1;
  map.view.range = {-end, end, false, false};
  map.view.weight_like = false;
  map.row_word = of.row_word;
  map.column_word = of.column_word;
  // A cell that was picked in either map, as its own.
  CircuitsPanelState& state = ui.state.panels.get<CircuitsPanelState>();
  const std::int64_t side = of.numbers.dim(0);
  if (state.set_cell && state.set_cell->row < side && state.set_cell->column < side) map.picked = state.set_cell;
  const DrawnNamedMap drawn = draw_named_map(ui, map, {{area.min.x, y}, {area.max.x, area.max.y - ui.px(34)}});
  if (drawn.input.clicked) state.set_cell = drawn.input.clicked;
  if (drawn.input.focused) {
    if (const std::optional<Cell> step = take_arrow(ui)) {
      const Cell from = state.set_cell.value_or(Cell{});
      state.set_cell = Cell{std::clamp<std::int64_t>(from.row + step->row, 0, side - 1),
                            std::clamp<std::int64_t>(from.column + step->column, 0, side - 1)};
      ui.state.wants_frame = true;
    }
  }
  y = drawn.picture.max.y + ui.px(8);
  const Rect box = row(area, y, ui.px(kSetReadout));
  const std::string number =
      drawn.at ? number_label(static_cast<double>(of.numbers.at({drawn.at->row, drawn.at->column})), 4) : "";
  Rect line = readout_line(ui, box, drawn.at.has_value());
  if (!drawn.at) return;
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::mono_bold12, number)) + 1, ui.px(10)), Type::mono_bold12,
          ui.colors.text, number, 1);
  const std::string words = fmt::format("{} → {}", set.pieces[static_cast<std::size_t>(drawn.at->row)],
                                        set.pieces[static_cast<std::size_t>(drawn.at->column)]);
  text_in(ui, line, Type::mono12, ui.colors.text, shortened_to(ui, Type::mono12, words, line.width()));
  ui.mark(fmt::format("circuits/{}: {} {}", of.name, words, number), box);
}

}  // namespace

void draw_circuits_set(Ui& ui, const Trace& trace, const LayerHead& head, const Rect& area) {
  CircuitsPanelState& state = ui.state.panels.get<CircuitsPanelState>();
  const std::string& text = ui.session.view.circuits.tokens;
  if (text.empty()) {
    paragraph(ui, area, Type::words12, ui.colors.text2,
              "A set of tokens, each with each, has two maps here: type them above, or take those of the text.");
    return;
  }
  const TypedTokens& set = typed_tokens(state.chosen, trace, text, true);
  if (!set.failure.empty()) return view_sentence(ui, "circuits", area, ui.colors.text, set.failure);
  if (set.ids.empty() || area.height() < ui.px(140)) return;
  const std::shared_ptr<const Checkpoint>& checkpoint = trace.model->checkpoint;
  const TokenMapsQuery query{checkpoint, {head.layer, head.head, set.ids}};
  const auto result = ui.session.background.token_maps.want(query);
  // The names beside the maps are those of the set that was asked: another one's are not shown below them.
  if (result == nullptr || !(result->question == query)) return;
  if (!result->answer) return view_sentence(ui, "circuits", area, ui.colors.text, result->failure);
  if (state.maps != result) {
    state.maps = result;
    state.largest_qk = largest_of(result->answer->qk);
    state.largest_ov = result->answer->ov.empty() ? 0 : largest_of(result->answer->ov);
  }
  const float gap = ui.px(kSetGap), width = std::floor((area.width() - gap) / 2);
  draw_set_map(ui, {"qk", "Scores: how much each looks at each", "looks ↓", "at →", result->answer->qk}, set,
               state.largest_qk, {area.min, {area.min.x + width, area.max.y}});
  draw_set_map(ui, {"ov", "Logits: what each raises where it is read", "read ↓", "raises →", result->answer->ov}, set,
               state.largest_ov, {{area.min.x + width + gap, area.min.y}, area.max});
}

}  // namespace headscope::ui

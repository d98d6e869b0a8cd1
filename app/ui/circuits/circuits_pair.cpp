// The picked pair: its numbers, both heads side by side on the shown text, and the strongest pairs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/session/background/trace_numbers.h"
#include "app/session/session.h"
#include "app/ui/circuits/circuits_panel.h"
#include "app/ui/main_view.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/named_map.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/attention/shown_mask.h"

namespace headscope::ui {
namespace {

constexpr float kTitleLine = 30, kReadoutLine = 26, kPairRow = 24, kListTitle = 28, kBarLine = 36, kPairName = 118;
// The part of the height that both heads may have.
constexpr float kShareOfHeads = 0.68f;

// One of both heads, and the words that say what it does.
struct Side {
  const char* word;  // names its controls
  LayerHead head;
  std::string title;
};

std::string pair_sentence(const CompositionShown& shown) {
  const char* const kind = kCompositionNames[static_cast<std::size_t>(shown.drawn.kind)];
  return fmt::format(
      "How far what {} writes lies in what {} reads as its {}: {}. Random matrices have {}; that is {} times as much.",
      head_name(shown.writer), head_name(shown.reader), kind, number_label(shown.score, 4),
      number_label(shown.found.random, 4), number_label(shown.score / shown.found.random, 2));
}

// Why the heads' weights cannot be drawn; "": they can.
std::string no_weights(const CompositionShown& shown) {
  const std::vector<std::shared_ptr<const Trace>>& layers = shown.trace.model->layers;
  for (const LayerHead& at : {shown.writer, shown.reader}) {
    const auto index = static_cast<std::size_t>(at.layer);
    if (index >= layers.size() || layers[index] == nullptr) return "Computing the other layers on this text …";
    const bool has_weights = layers[index]->find(StageId::weights) != nullptr && layers[index]->query_len() > 0;
    if (!has_weights) return "There is no text that both heads could attend to.";
    const Tensor& weights = layers[index]->tensor(StageId::weights);
    if (is_too_large(weights.dim(2), weights.dim(3), weights.stored())) {
      return "The text is too long for two pictures here. Open a head to look at it.";
    }
  }
  return "";
}

void draw_title(Ui& ui, const Side& side, Rect line) {
  const float top = std::round(line.center().y - ui.px(12));
  const Rect place = take_right(line, std::min(ui.px(104), line.width() * 0.5f), ui.px(6));
  if (button(ui, std::string("circuits/open/") + side.word,
             {{place.min.x, top}, {place.max.x, top + ui.px(size::control_height)}},
             fitting_words(ui, Type::words13, place.width() - ui.px(16), {"Open the head", "Open"}),
             {true, false, "Its weights and all else in one layer."})) {
    open_one_layer(ui, side.head.layer, side.head.head);
  }
  const float square = ui.px(10), y = std::round(line.center().y - square / 2);
  fill({{line.min.x, y}, {line.min.x + square, y + square}}, head_color(side.head.head));
  line.min.x += square + ui.px(8);
  text_in(ui, line, Type::title12, ui.colors.text, side.title);
}

struct Weights {
  HeatmapView view;
  std::vector<std::string> rows, columns;
};

Weights weights_of(Ui& ui, const CompositionShown& shown, const LayerHead& at) {
  const Trace& layer = *shown.trace.model->layers[static_cast<std::size_t>(at.layer)];
  Weights weights;
  weights.rows = row_names(layer, StageId::weights);
  weights.columns = column_names(layer, StageId::weights);
  const std::int64_t batch = selection_of(ui.session.view, shown.trace).batch;
  weights.view.matrix = matrix_at(layer.tensor(StageId::weights), batch, at.head);
  weights.view.mask = shown_mask(layer, StageId::weights);
  weights.view.batch = batch;
  weights.view.head = at.head;
  weights.view.map = color_map_of(ui, true);
  weights.view.range = {0, 1, ui.session.view.log_scale, false};
  return weights;
}

// The pair of tokens, and the weight that either head gives it.
void draw_weights_readout(Ui& ui, const Rect& box, const Weights& weights, const std::optional<Cell>& at,
                          const std::string& numbers) {
  draw_map_readout(ui, box, {weights.rows, weights.columns}, at, numbers);
  ui.mark("circuits/weights: " + numbers, box);
}

// Both maps, with cells of one size, and the line of numbers below. Returns the y below.
float draw_heads(Ui& ui, const CompositionShown& shown, const Side (&sides)[2], const Rect& area) {
  const Weights weights[] = {weights_of(ui, shown, sides[0].head), weights_of(ui, shown, sides[1].head)};
  std::optional<Cell>& cell = ui.session.view.cell;
  const std::int64_t rows = weights[0].view.matrix.dim(0), columns = weights[0].view.matrix.dim(1);
  const bool inside = cell && cell->row < rows && cell->column < columns;
  float left = area.min.x, bottom = area.min.y, gutter = 0;
  std::optional<Cell> at = inside ? cell : std::nullopt;
  for (std::size_t k = 0; k < 2; ++k) {
    NamedMap map{.name = std::string("circuits/weights/") + sides[k].word,
                 .view = weights[k].view,
                 .rows = weights[k].rows,
                 .columns = weights[k].columns};
    map.row_word = "query ↓";
    map.column_word = "key →";
    map.row_names = k == 0;
    map.bar = false;
    map.picked = inside ? cell : std::nullopt;
    if (k == 0) gutter = row_names_width(ui, map);
    const float width = std::floor((area.width() - gutter - ui.px(16)) / 2) + (k == 0 ? gutter : 0);
    const DrawnNamedMap drawn =
        draw_named_map(ui, map, {{left, area.min.y}, {left + width, area.max.y - ui.px(kReadoutLine + kBarLine)}});
    left += width + ui.px(16);
    bottom = std::max(bottom, drawn.picture.max.y);
    if (drawn.input.clicked) cell = drawn.input.clicked;
    if (drawn.input.focused) {
      if (const std::optional<Cell> step = take_arrow(ui)) {
        const Cell from = cell.value_or(Cell{});
        cell = Cell{std::clamp<std::int64_t>(from.row + step->row, 0, rows - 1),
                    std::clamp<std::int64_t>(from.column + step->column, 0, columns - 1)};
        ui.state.wants_frame = true;
      }
    }
    if (!drawn.input.hovered) continue;
    at = drawn.input.hovered;
    ui.state.next_hover.query = at->row;
    ui.state.next_hover.key = at->column;
  }
  float y = bottom + ui.px(8);
  std::string numbers;
  for (std::size_t k = 0; at && k < 2; ++k) {
    const double weight = static_cast<double>(weights[k].view.matrix.at({at->row, at->column}));
    numbers += fmt::format("{}{} {}", k == 0 ? "" : "   ", head_name(sides[k].head), number_label(weight, 4));
  }
  draw_weights_readout(ui, row(area, y, ui.px(kReadoutLine)), weights[0], at, numbers);
  y += ui.px(6);
  const float bar = std::min(ui.px(160), area.width() / 3);
  color_bar(ui, {{area.min.x, y}, {area.min.x + bar, y + ui.px(10)}}, weights[0].view.map, weights[0].view.range, true);
  text_in(ui, {{area.min.x + bar + ui.px(16), y - ui.px(3)}, {area.max.x, y + ui.px(15)}}, Type::words12,
          ui.colors.text2, "attention weights on this text");
  return y + ui.px(kBarLine);
}

// A bar from 0, and a line where random matrices are.
void draw_score_bar(Ui& ui, const Rect& area, double score, double random, double largest) {
  const float middle = std::round(area.center().y), half = ui.px(5);
  fill({{area.min.x, middle - half}, {area.max.x, middle + half}}, ui.colors.well);
  if (!(largest > 0) || !std::isfinite(score)) return;
  const auto place = [&](double value) { return std::round(area.width() * static_cast<float>(value / largest)); };
  fill({{area.min.x, middle - half}, {area.min.x + std::max(1.0f, place(score)), middle + half}},
       score < random ? ui.colors.bar_negative : ui.colors.bar_positive);
  const float at = std::min(area.min.x + place(random), area.max.x - ui.px(1));
  vertical_line(ui, at, middle - half - ui.px(1), middle + half + ui.px(1), ui.colors.text);
}

void draw_pair_row(Ui& ui, const CompositionShown& shown, std::size_t number, const Rect& line) {
  const ComposedPair& pair = shown.drawn.strongest[number];
  const LayerHead reader{pair.layer, pair.head}, writer{pair.from_layer, pair.from_head};
  const Interaction it = interact(ui, fmt::format("circuits/pair/{}", number), line);
  const bool picked = reader == shown.reader && writer == shown.writer;
  if (picked || it.hovered) fill(line, picked ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_control));
  Rect rest = inset(line, ui.px(2));
  rest.min.x += ui.px(4);
  const std::string words = fmt::format("{} reads {}", head_name(reader), head_name(writer));
  text_in(ui, take_left(rest, std::min(ui.px(kPairName), rest.width() * 0.4f), ui.px(6)),
          picked ? Type::mono_bold12 : Type::mono12, ui.colors.text, ours(words));
  text_in(ui, take_right(rest, ui.px(52), ui.px(6)), Type::mono12, ui.colors.text2,
          number_label(pair.score / shown.found.random, 2) + "×", 1);
  text_in(ui, take_right(rest, ui.px(56), ui.px(10)), Type::mono12, ui.colors.text, number_label(pair.score, 4), 1);
  draw_score_bar(ui, rest, pair.score, shown.found.random, shown.drawn.strongest.front().score);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
  if (it.clicked) pick_pair(ui, reader, writer);
}

void draw_strongest(Ui& ui, const CompositionShown& shown, Rect area) {
  float y = area.min.y;
  Rect title = row(area, y, ui.px(kListTitle));
  text_in(ui, take_right(title, ui.px(130), ui.px(6)), Type::words12, ui.colors.text3, "score · times random", 1);
  text_in(ui, title, Type::title12, ui.colors.text,
          fmt::format("Strongest pairs by {}", kCompositionNames[static_cast<std::size_t>(shown.drawn.kind)]));
  area.min.y = y;
  if (area.height() < ui.px(kPairRow)) return;
  draw_scrolled_rows(ui, "circuits/pairs", area, shown.drawn.strongest.size(), ui.px(kPairRow),
                     [&](std::size_t at, const Rect& line) { draw_pair_row(ui, shown, at, line); });
}

}  // namespace

void draw_circuits_pair(Ui& ui, const CompositionShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  Rect inner{{area.min.x + pad, area.min.y + ui.px(6)}, {area.max.x - pad, area.max.y - ui.px(4)}};
  const std::string sentence = pair_sentence(shown);
  ui.mark("circuits/pair: " + sentence, inner);
  inner.min.y += paragraph(ui, inner, Type::words13, ui.colors.text, sentence) + ui.px(6);
  const Side sides[] = {{"writer", shown.writer, head_name(shown.writer) + " writes"},
                        {"reader", shown.reader, head_name(shown.reader) + " reads"}};
  float y = inner.min.y;
  Rect titles = row(inner, y, ui.px(kTitleLine));
  draw_title(ui, sides[0], take_left(titles, std::floor((titles.width() - ui.px(16)) / 2), ui.px(16)));
  draw_title(ui, sides[1], titles);
  const std::string why = no_weights(shown);
  if (why.empty()) {
    y = draw_heads(ui, shown, sides, {{inner.min.x, y}, {inner.max.x, inner.min.y + inner.height() * kShareOfHeads}});
  } else {
    ui.mark("circuits/no_weights: " + why, inner);
    y += paragraph(ui, {{inner.min.x, y + ui.px(4)}, inner.max}, Type::words12, ui.colors.text2, why) + ui.px(12);
  }
  horizontal_line(ui, inner.min.x, inner.max.x, y, ui.colors.line);
  draw_strongest(ui, shown, {{inner.min.x, y + ui.px(4)}, inner.max});
}

}  // namespace headscope::ui

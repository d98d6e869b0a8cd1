// What the picked head does with a token, as three lists; the controls of the view's part about tokens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <optional>

#include "app/session/session.h"
#include "app/ui/circuits/circuits_panel.h"
#include "app/ui/main_view.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/model/named_token.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kListed = 10;
constexpr float kRowsOfTwoFrom = 1000, kTokenRow = 24, kTokenTitle = 26, kTokenNumber = 66, kGap = 20,
                kMapsHeight = 236;
// Rows of a list that stay in sight when the maps of a set need room.
constexpr float kFewest = 4;

// The token that is asked when none is typed: that of the picked cell's query, else the last of the text. nullopt:
// there is no text.
std::optional<std::int64_t> token_of_text(const Ui& ui, const Trace& trace) {
  const std::vector<std::int64_t>& ids = trace.inputs->token_ids;
  if (ids.empty()) return std::nullopt;
  const std::optional<Cell>& cell = ui.session.view.cell;
  const bool inside = cell && 0 <= cell->row && cell->row < std::ssize(ids);
  return inside ? ids[static_cast<std::size_t>(cell->row)] : ids.back();
}

// The different tokens of the text, in its order.
std::string tokens_of_text(const Trace& trace) {
  constexpr std::size_t kMostOfText = 48;
  std::vector<std::int64_t> seen;
  std::string names;
  for (const std::int64_t id : trace.inputs->token_ids) {
    if (seen.size() == kMostOfText || std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
    seen.push_back(id);
    names += (names.empty() ? "" : ",") + typed_name(trace, id);
  }
  return names;
}

void draw_token_field(Ui& ui, const Trace& trace, Rect& line) {
  const std::optional<std::int64_t> usual = token_of_text(ui, trace);
  const std::string hint = usual ? shown_piece(trace, *usual) + ", of the text" : "a token";
  text_in(ui, take_left(line, ui.px(38), ui.px(6)), Type::words12, ui.colors.text2, "token");
  text_field(ui, kCircuitsToken, take_left(line, ui.px(160), ui.px(16)), ui.session.view.circuits.token, hint,
             {true, false, "As the vocabulary spells it, or its id. Nothing: the query of the picked cell."});
}

void draw_set_field(Ui& ui, const Trace& trace, Rect line) {
  std::string& tokens = ui.session.view.circuits.tokens;
  const bool has_text = !trace.inputs->token_ids.empty();
  if (button(ui, "circuits/tokens_of_text", take_right(line, ui.px(130), ui.px(8)), "Tokens of the text",
             {has_text, false, "The different tokens of the text, each with each."})) {
    tokens = tokens_of_text(trace);
  }
  text_in(ui, take_left(line, ui.px(22), ui.px(6)), Type::words12, ui.colors.text2, "set");
  text_field(ui, "circuits/tokens", line, tokens, "tokens with commas between, each with each",
             {true, false, "Two maps: how much each of these tokens looks at each, and what it does to their logits."});
}

// What the bars of a list cover: from its smallest value, or 0, to its largest, or 0.
struct BarSpan {
  double low = 0, high = 0;
};

BarSpan span_of(const std::vector<TokenScore>& scores) {
  BarSpan span;
  for (const TokenScore& score : scores) {
    if (!std::isfinite(score.value)) continue;
    span.low = std::min(span.low, score.value);
    span.high = std::max(span.high, score.value);
  }
  return span;
}

void draw_span_bar(Ui& ui, const Rect& area, double value, const BarSpan& span) {
  const float middle = std::round(area.center().y), half = ui.px(5);
  fill({{area.min.x, middle - half}, {area.max.x, middle + half}}, ui.colors.well);
  if (!(span.high > span.low)) return;
  const auto place = [&](double at) {
    return std::round(area.min.x + area.width() * static_cast<float>((at - span.low) / (span.high - span.low)));
  };
  const float zero = std::min(place(0), area.max.x - ui.px(1));
  if (std::isfinite(value) && value != 0) {
    const float end = place(value);
    fill({{std::min(zero, end), middle - half}, {std::max({zero, end, zero + 1}), middle + half}},
         value < 0 ? ui.colors.bar_negative : ui.colors.bar_positive);
  }
  vertical_line(ui, zero, middle - half - ui.px(1), middle + half + ui.px(1), ui.colors.text3);
}

// A list of tokens with their numbers.
struct TokenList {
  const char* name;  // of its controls
  std::string title;
  const char* number;  // what the numbers are
  const std::vector<TokenScore>& scores;
  BarSpan span = span_of(scores);
};

void draw_token_row(Ui& ui, const Trace& trace, const TokenList& list, std::size_t at, const Rect& line) {
  const TokenScore& score = list.scores[at];
  const Interaction it =
      interact(ui, fmt::format("circuits/{}/{}", list.name, at), line, {true, false, "Asks the same of this token."});
  if (it.hovered) fill(line, ui.colors.hover, ui.px(size::radius_control));
  Rect rest = inset(line, ui.px(2));
  rest.min.x += ui.px(4);
  const Rect name = take_left(rest, std::min(ui.px(110), rest.width() * 0.4f), ui.px(8));
  text_in(ui, name, Type::mono12, ui.colors.text,
          shortened_to(ui, Type::mono12, shown_piece(trace, score.id), name.width()));
  text_in(ui, take_right(rest, ui.px(kTokenNumber), ui.px(8)), Type::mono12, ui.colors.text,
          number_label(score.value, 4), 1);
  draw_span_bar(ui, rest, score.value, list.span);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
  if (it.clicked) ui.session.view.circuits.token = typed_name(trace, score.id);
}

void draw_list(Ui& ui, const Trace& trace, const TokenList& list, const Rect& area) {
  float y = area.min.y;
  Rect title = row(area, y, ui.px(kTokenTitle));
  text_in(ui, take_right(title, ui.px(40), ui.px(6)), Type::words12, ui.colors.text3, list.number, 1);
  text_in(ui, title, Type::title12, ui.colors.text, list.title);
  ui.mark(std::string("circuits/") + list.name + ": " + list.title, area);
  const Rect rows{{area.min.x, y}, area.max};
  if (list.scores.empty()) {
    paragraph(ui, rows, Type::words12, ui.colors.text2,
              "This model says no next token: nothing that a head writes is a logit.");
    return;
  }
  draw_scrolled_rows(ui, std::string("circuits/list/") + list.name, rows, list.scores.size(), ui.px(kTokenRow),
                     [&](std::size_t at, const Rect& line) { draw_token_row(ui, trace, list, at, line); });
}

// Says of which head and token, and returns the rest of the area.
Rect draw_asked(Ui& ui, const Trace& trace, const TokenQuestion& asked, const Rect& area) {
  float y = area.min.y;
  Rect line = row(area, y, ui.px(size::row_height));
  const float top = std::round(line.center().y - ui.px(12));
  const Rect place = take_right(line, ui.px(112), ui.px(8));
  if (button(ui, "circuits/open", {{place.min.x, top}, {place.max.x, top + ui.px(size::control_height)}},
             "Open the head", {true, false, "Its weights and all else in one layer."})) {
    open_one_layer(ui, asked.layer, asked.head);
  }
  const float square = ui.px(10), middle = std::round(line.center().y - square / 2);
  fill({{line.min.x, middle}, {line.min.x + square, middle + square}}, head_color(asked.head));
  line.min.x += square + ui.px(8);
  const std::string title =
      fmt::format("'{}' in head {}", shown_piece(trace, asked.id), head_name({asked.layer, asked.head}));
  const float width = std::min(std::ceil(text_width(ui, Type::title13, title)) + 1, line.width() * 0.6f);
  text_in(ui, take_left(line, width, ui.px(12)), Type::title13, ui.colors.text, title);
  text_in(ui, line, Type::words12, ui.colors.text2, "of word embeddings alone: no positions, no biases");
  ui.mark("circuits/asked: " + title, line);
  return {{area.min.x, y}, area.max};
}

// The three lists beside each other. Returns the y below.
float draw_lists(Ui& ui, const Trace& trace, const TokenCircuits::Result& result, const Rect& area) {
  const TokenQuestion& asked = result.question.question;
  const TokenCircuit& found = *result.answer;
  const Rect below = draw_asked(ui, trace, asked, area);
  const std::string piece = shown_piece(trace, asked.id);
  const TokenList lists[] = {{"keys", fmt::format("'{}' looks at", piece), "score", found.keys},
                             {"queries", fmt::format("'{}' is looked at by", piece), "score", found.queries},
                             {"writes", fmt::format("where '{}' is read, it raises", piece), "logit", found.writes}};
  const float gap = ui.px(kGap), width = std::floor((below.width() - 2 * gap) / 3);
  // The maps of a set below take from the lists what they need to be read, but for a few rows.
  const float all = below.min.y + ui.px(kTokenTitle + kTokenRow * kListed),
              few = below.min.y + ui.px(kTokenTitle + kTokenRow * kFewest);
  const bool has_set = !ui.session.view.circuits.tokens.empty();
  const float bottom = std::min(all, has_set ? std::max(few, below.max.y - ui.px(kMapsHeight)) : below.max.y);
  float left = below.min.x;
  for (const TokenList& list : lists) {
    draw_list(ui, trace, list, {{left, below.min.y}, {left + width, bottom}});
    left += width + gap;
  }
  return bottom + ui.px(10);
}

}  // namespace

std::string shown_piece(const Trace& trace, std::int64_t id) {
  return visible_piece(token_piece(*trace.model->checkpoint, id));
}

// Its piece, or its id where the piece is no name of it alone.
std::string typed_name(const Trace& trace, std::int64_t id) {
  const Checkpoint& checkpoint = *trace.model->checkpoint;
  const std::string piece = token_piece(checkpoint, id);
  try {
    if (piece.find(',') == piece.npos && named_token(checkpoint, "token", piece) == id) return piece;
  } catch (const std::exception&) {  // no token's name, or a tokenizer that cannot be read
  }
  return std::to_string(id);
}

float label_width(Ui& ui, const char* words) {
  return std::max(ui.px(32), std::ceil(text_width(ui, Type::words12, words)) + 1);
}

void draw_head_steppers(Ui& ui, const Trace& trace, Rect& line) {
  const Architecture& architecture = trace.model->checkpoint->architecture();
  LayerHead head = head_of_tokens(ui, trace);
  text_in(ui, take_left(line, label_width(ui, "layer"), ui.px(6)), Type::words12, ui.colors.text2, "layer");
  bool changed =
      index_stepper(ui, "circuits/layer", take_left(line, ui.px(92), ui.px(10)), head.layer, architecture.num_layers);
  text_in(ui, take_left(line, label_width(ui, "head"), ui.px(6)), Type::words12, ui.colors.text2, "head");
  changed |=
      index_stepper(ui, "circuits/head", take_left(line, ui.px(92), ui.px(16)), head.head, architecture.num_heads);
  if (changed) ui.session.view.circuits.reader = head;
}

float draw_tokens_controls(Ui& ui, const Trace& trace, const Rect& area) {
  const float pad = ui.px(size::panel_padding), height = ui.px(size::control_height), top = area.min.y + ui.px(3);
  Rect line{{area.min.x + pad, top}, {area.max.x - pad, top + height}};
  draw_head_steppers(ui, trace, line);
  draw_token_field(ui, trace, line);
  if (area.width() < ui.px(kRowsOfTwoFrom)) {
    const float next = line.max.y + ui.px(6);
    line = {{area.min.x + pad, next}, {area.max.x - pad, next + height}};
  }
  draw_set_field(ui, trace, line);
  return line.max.y + ui.px(6);
}

void draw_circuits_tokens(Ui& ui, const Trace& trace, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y - ui.px(6)}};
  CircuitsPanelState& state = ui.state.panels.get<CircuitsPanelState>();
  const LayerHead head = head_of_tokens(ui, trace);
  std::optional<std::int64_t> id = token_of_text(ui, trace);
  if (!ui.session.view.circuits.token.empty()) {
    const TypedTokens& typed = typed_tokens(state.token, trace, ui.session.view.circuits.token, false);
    if (!typed.failure.empty()) return view_sentence(ui, "circuits", area, ui.colors.text, typed.failure);
    id = typed.ids.front();
  }
  float y = inner.min.y;
  if (!id) {
    view_sentence(ui, "circuits", area, ui.colors.text2, "Type a token that the head is asked about.");
    y += ui.px(40);
  } else {
    const std::shared_ptr<const Checkpoint>& checkpoint = trace.model->checkpoint;
    const auto result = ui.session.background.token_circuits.want({checkpoint, {head.layer, head.head, *id, kListed}});
    if (result == nullptr || result->question.checkpoint != checkpoint) {
      return view_sentence(ui, "circuits", area, ui.colors.text2, "Computing …");
    }
    if (!result->answer) return view_sentence(ui, "circuits", area, ui.colors.text, result->failure);
    y = draw_lists(ui, trace, *result, inner);
  }
  draw_circuits_set(ui, trace, head, {{inner.min.x, y}, inner.max});
}

}  // namespace headscope::ui

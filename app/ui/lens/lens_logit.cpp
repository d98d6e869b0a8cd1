// Beside the lens: the likely tokens of the picked cell, and what made the logit of one of them, or of two.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/lens/lens_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/signed_bar.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/model/named_token.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 24, kTitle = 28, kName = 150, kNumber = 74;
constexpr std::size_t kMostShownParts = 400;

std::string percent(double probability) {
  return std::isnan(probability) ? "NaN" : fmt::format("{:.1f}%", probability * 100);
}

// A token of the vocabulary: as the lens has it, else its id.
std::string piece_of(const LensShown& shown, std::int64_t id) {
  for (const Prediction* at : {&shown.lens.model[static_cast<std::size_t>(shown.column)], &shown.picked()}) {
    for (const TokenProbability& token : at->top) {
      if (token.id == id) return visible_piece(token.piece);
    }
  }
  return visible_piece(token_piece(*shown.trace.model->checkpoint, id));
}

std::string where_text(const LensShown& shown) {
  const std::string token = visible_piece(token_or_index(shown.trace.inputs->tokens, shown.column));
  return fmt::format("{}, at {} {}",
                     lens_kind(shown.lens.of).place(shown.lens.rows[static_cast<std::size_t>(shown.row)]), shown.column,
                     token);
}

// Picks the token whose logit is taken apart; with Shift the one that is taken from it.
void choose_token(Ui& ui, const LensShown& shown, std::int64_t id) {
  LensView& view = ui.session.view.lens;
  const bool second = !view.loss && ui.shift_held && !shown.tokens.empty() && shown.tokens.front() != id;
  view.tokens = second ? std::vector{shown.tokens.front(), id} : std::vector{id};
}

void draw_tokens(Ui& ui, const LensShown& shown, const Rect& area, float& y) {
  text_in(ui, row({area.min, area.max}, y, ui.px(kTitle)), Type::title12, ui.colors.text, where_text(shown));
  const std::vector<TokenProbability>& top = shown.picked().top;
  for (std::size_t k = 0; k < top.size(); ++k) {
    const TokenProbability& token = top[k];
    const Rect line = row(area, y, ui.px(kRow));
    const bool chosen = std::find(shown.tokens.begin(), shown.tokens.end(), token.id) != shown.tokens.end();
    const Interaction it = interact(
        ui, fmt::format("lens/token/{}", k), line,
        {true, false, "Takes this token's logit apart below. With Shift: what it has less than the first one."});
    if (chosen || it.hovered) fill(line, chosen ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_control));
    Rect rest = inset(line, ui.px(2));
    const Rect name = take_left(rest, ui.px(110), ui.px(6));
    text_in(ui, name, chosen ? Type::mono_bold12 : Type::mono12, ui.colors.text,
            shortened_to(ui, Type::mono12, visible_piece(token.piece), name.width()));
    text_in(ui, take_right(rest, ui.px(52), ui.px(6)), Type::mono12, ui.colors.text, percent(token.probability), 1);
    if (std::isfinite(token.probability)) {
      const float middle = std::round(rest.center().y);
      const float width = std::max(1.0f, std::round(rest.width() * static_cast<float>(token.probability)));
      fill({{rest.min.x, middle - ui.px(4)}, {rest.min.x + width, middle + ui.px(3)}}, ui.colors.text2);
    }
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
    if (it.clicked) choose_token(ui, shown, token.id);
  }
  y += ui.px(8);
}

// "layer 1 head 3", "layer 0 mlp", "embedding", "layer 1 head 3 reads cat".
std::string part_name(const LensShown& shown, const AttributionPart& part) {
  std::string name = part.layer ? fmt::format("layer {} ", *part.layer) : "";
  if (part.head) name += fmt::format("head {} ", *part.head);
  const std::string_view word = part.name;
  if (part.key) {
    const std::string token = visible_piece(read_tokens(shown.trace).of(part));
    name += fmt::format("reads {} {}", *part.key, token);
  } else if (word == "cross head") {
    name += "cross";
  } else if (word != "head") {
    name += word;
  }
  if (name.ends_with(' ')) name.pop_back();
  return name;
}

// The largest parts first, sorted once for each answer.
const std::vector<std::size_t>& order_of(Ui& ui, const LensShown& shown) {
  LensPanelState& state = ui.state.panels.get<LensPanelState>();
  if (state.ordered == shown.parts) return state.order;
  state.ordered = shown.parts;
  const std::vector<AttributionPart>& parts = shown.parts->answer->parts;
  state.order.resize(parts.size());
  std::iota(state.order.begin(), state.order.end(), std::size_t{0});
  std::stable_sort(state.order.begin(), state.order.end(),
                   [&](std::size_t a, std::size_t b) { return std::fabs(parts[a].value) > std::fabs(parts[b].value); });
  if (state.order.size() > kMostShownParts) state.order.resize(kMostShownParts);
  return state.order;
}

void draw_part(Ui& ui, const LensShown& shown, const AttributionPart& part, std::size_t at, double largest,
               const Rect& line) {
  const std::string name = part_name(shown, part);
  const bool opens = part.layer.has_value();
  const std::string tip = opens ? "Shows " + std::string(part.head ? "this head." : "this layer.") : "";
  Interaction it;
  if (opens) it = interact(ui, fmt::format("lens/part/{}", at), line, {true, false, tip.c_str()});
  ui.mark("lens/part: " + name, line);
  if (it.hovered) fill(line, ui.colors.hover, ui.px(size::radius_control));
  Rect rest = inset(line, ui.px(2));
  const Rect words = take_left(rest, std::min(ui.px(kName), rest.width() * 0.45f), ui.px(6));
  Rect label = words;
  if (part.head) {
    const float side = ui.px(9), top = std::round(words.center().y - side / 2);
    fill({{words.min.x, top}, {words.min.x + side, top + side}}, head_color(static_cast<int>(*part.head)));
    label.min.x += side + ui.px(5);
  }
  text_in(ui, label, Type::words12, ui.colors.text, given(shortened_to(ui, Type::words12, name, label.width())));
  text_in(ui, take_right(rest, ui.px(kNumber), ui.px(6)), Type::mono12, ui.colors.text, number_label(part.value, 4), 1);
  signed_bar(ui, rest, part.value, largest);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
  if (it.clicked) open_layer_at(ui, shown, *part.layer, part.head.value_or(-1));
}

// The sum beside the model's own number.
void draw_sum(Ui& ui, const Attribution& found, std::size_t left_out, const Rect& area) {
  horizontal_line(ui, area.min.x, area.max.x, area.min.y, ui.colors.line);
  float y = area.min.y + ui.px(4);
  const auto line = [&](const char* name, const std::string& number, Type type) {
    const Rect place = row(area, y, ui.px(20));
    text_in(ui, place, Type::words12, ui.colors.text2, name);
    text_in(ui, place, type, ui.colors.text, number, 1);
  };
  line(left_out > 0 ? "sum of all parts, of which the largest are listed" : "sum", number_label(found.sum, 6),
       Type::mono_bold12);
  line("the model's own", number_label(found.total, 6), Type::mono12);
  line("difference", number_label(found.sum - found.total, 1, true), Type::mono12);
}

void draw_parts(Ui& ui, const LensShown& shown, const Rect& area, float y) {
  const float sum = ui.px(68);
  const Rect list{{area.min.x, y}, {area.max.x, area.max.y - sum}};
  const Attribution* found = shown.parts != nullptr && shown.parts->answer ? &*shown.parts->answer : nullptr;
  if (found == nullptr) {
    const bool failed = shown.parts != nullptr && !shown.parts->failure.empty();
    ui.mark("lens/logit_sentence", list);
    paragraph(ui, list, Type::words12, failed ? ui.colors.text : ui.colors.text2,
              failed ? control_words(shown.parts->failure) : "Taking it apart …");
    return;
  }
  const std::vector<std::size_t>& order = order_of(ui, shown);
  const double largest = order.empty() ? 0 : std::fabs(found->parts[order.front()].value);
  if (list.height() > ui.px(kRow)) {
    draw_scrolled_rows(ui, "lens/parts", list, order.size(), ui.px(kRow), [&](std::size_t at, const Rect& line) {
      draw_part(ui, shown, found->parts[order[at]], at, largest, line);
    });
  }
  // Right below a short list.
  const float below = std::min(list.max.y, list.min.y + ui.px(kRow) * static_cast<float>(order.size()) + ui.px(4));
  if (below < y) return;  // too low for the sum
  draw_sum(ui, *found, found->parts.size() - order.size(), {{area.min.x, below}, area.max});
}

}  // namespace

void draw_lens_logit(Ui& ui, const LensShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, area.min.y + ui.px(4)}, {area.max.x - pad, area.max.y - ui.px(4)}};
  float y = inner.min.y;
  draw_tokens(ui, shown, inner, y);
  horizontal_line(ui, area.min.x, area.max.x, y, ui.colors.line);
  y += ui.px(6);
  const bool loss = ui.session.view.lens.loss;
  std::string title =
      fmt::format("Who made the {} of {}", loss ? "loss" : "logit", piece_of(shown, shown.tokens.front()));
  if (shown.tokens.size() > 1) title += " less that of " + piece_of(shown, shown.tokens.back());
  Rect head = row(inner, y, ui.px(kTitle));
  if (!ui.session.view.lens.tokens.empty() &&
      icon_button(ui, "lens/usual_token", take_right(head, ui.px(24), ui.px(4)), Icon::reset,
                  {true, false, "The most probable token of each position again."})) {
    ui.session.view.lens.tokens.clear();
  }
  int of = loss ? 1 : 0;
  Rect choice = take_right(head, ui.px(112), ui.px(6));
  choice.min.y = std::round(choice.center().y - ui.px(12));
  choice.max.y = choice.min.y + ui.px(size::control_height);
  if (segments(ui, "lens/loss", choice, {"logit", "loss"}, of,
               {true, false,
                "The token's logit; or its loss, -ln of its probability in nats: what pushes the logits of the others, "
                "each as likely as it is, above its own, and the entropy of the prediction."})) {
    ui.session.view.lens.loss = of == 1;
  }
  text_in(ui, head, Type::title12, ui.colors.text, given(shortened_to(ui, Type::title12, title, head.width())));
  int by = static_cast<int>(ui.session.view.lens.by);
  Rect line = row(inner, y, ui.px(size::row_height));
  line.max.y = line.min.y + ui.px(size::control_height);
  if (segments(ui, "lens/by", line, {"components", "heads", "sources"}, by,
               {true, false,
                "Attention of a layer as one, by heads, or every head by the tokens that it reads. The final norm is "
                "held at the scale that it has here."})) {
    ui.session.view.lens.by = static_cast<AttributionBy>(by);
  }
  draw_parts(ui, shown, inner, y + ui.px(2));
}

}  // namespace headscope::ui

// What the model predicts, with all heads and with those that are on; what was switched off; how well it knows each
// token.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/predictions.h"
#include "app/ui/layers_panel.h"
#include "app/ui/phrase_tokens.h"
#include "app/ui/shared_marks.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kShown = 10;
constexpr float kRow = 32;

std::string percent(double probability) {
  return std::isnan(probability) ? "…" : fmt::format("{:.1f}%", probability * 100);
}

std::string title_of(const PredictionLook& look, const LayersShown& shown) {
  if (look.next_token) {
    const bool last = look.position + 1 == shown.trace->query_len();
    return last ? "Next token" : fmt::format("After token {}", look.position);
  }
  return "At " + visible_piece(token_or_index(shown.trace->inputs->tokens, look.position));
}

void draw_key(Ui& ui, Rect& line, Rgba color, const std::string& words) {
  const float side = ui.px(9), middle = std::round(line.center().y - side / 2);
  fill({{line.min.x, middle}, {line.min.x + side, middle + side}}, color);
  line.min.x += side + ui.px(6);
  const float width = std::ceil(text_width(ui, Type::words12, words)) + 1;
  text_in(ui, take_left(line, width, ui.px(14)), Type::words12, ui.colors.text2, words);
}

// Of predictions that are there.
void draw_bars(Ui& ui, const LayersShown& shown, const Rect& area, float& y) {
  const PredictionLook* before = shown.look.baseline_predictions.get();
  const PredictionLook& now = *shown.look.predictions;
  const bool compares = !shown.trace->request.ablate.empty();
  // While one of the two is on its way the other one stands alone.
  const PredictionLook& ordered = compares && before != nullptr && !before->tokens.empty() ? *before : now;
  const float names = ui.px(86), numbers = ui.px(52);
  const double largest = ordered.tokens.empty() ? 1 : std::max(1e-9, ordered.tokens.front().probability);
  double scale = largest;
  if (!now.tokens.empty()) scale = std::max(scale, now.tokens.front().probability);
  for (std::size_t k = 0; k < ordered.tokens.size() && k < kShown; ++k) {
    const TokenProbability& token = ordered.tokens[k];
    Rect line{{area.min.x, y}, {area.max.x, y + ui.px(kRow)}};
    y += ui.px(kRow);
    const std::string piece = visible_piece(token.piece);
    text_in(ui, take_left(line, names, ui.px(6)), k == 0 ? Type::mono_bold12 : Type::mono12, ui.colors.text, piece);
    const Rect number = take_right(line, numbers, ui.px(6));
    const auto bar = [&](double probability, float top, Rgba color) {
      if (!std::isfinite(probability)) return;
      const float width = std::max(1.0f, std::round(line.width() * static_cast<float>(probability / scale)));
      fill({{line.min.x, top}, {line.min.x + width, top + ui.px(7)}}, color);
    };
    const float middle = std::round(line.center().y);
    if (!compares) {
      bar(token.probability, middle - ui.px(4), ui.colors.text2);
      text_in(ui, number, Type::mono12, ui.colors.text, percent(token.probability), 1);
      continue;
    }
    const double with_all = before != nullptr ? before->probability_of(token.id) : NAN;
    const double with_off = now.probability_of(token.id);
    bar(with_all, middle - ui.px(8), ui.colors.text2);
    bar(with_off, middle + ui.px(1), ui.colors.accent);
    text_in(ui, {number.min, {number.max.x, middle + ui.px(1)}}, Type::mono11, ui.colors.text2, percent(with_all), 1);
    text_in(ui, {{number.min.x, middle}, number.max}, Type::mono11, ui.colors.text, percent(with_off), 1);
    if (k == 0) ui.mark(fmt::format("layers/prediction/{}", token.piece), line);
  }
}

void draw_interventions(Ui& ui, const LayersShown& shown, const Rect& area, float& y) {
  const std::vector<LayerHead> off = ui.session.draft.ablate;
  horizontal_line(ui, area.min.x - ui.px(14), area.max.x + ui.px(14), y + ui.px(6), ui.colors.line);
  y += ui.px(12);
  const Rect title{{area.min.x, y}, {area.max.x, y + ui.px(24)}};
  text_in(ui, title, Type::title12, ui.colors.text, "Interventions");
  text_in(ui, title, Type::words12, ui.colors.text2, off.empty() ? "none" : fmt::format("{} active", off.size()), 1);
  y += ui.px(28);
  if (off.empty()) {
    y += paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text3,
                   "X or a right click on a head switches it off: its context becomes zero.");
    y += ui.px(8);
  }
  constexpr std::size_t most = 6;
  double& unfolded = ui.state.number["layers/off/all"];
  const std::size_t shown_heads = unfolded != 0 || off.size() <= most + 1 ? off.size() : most;
  for (std::size_t k = 0; k < shown_heads; ++k) {
    const LayerHead& at = off[k];
    bool on = true;
    const Rect line{{area.min.x, y}, {area.max.x, y + ui.px(24)}};
    const std::string words = fmt::format("layer {}, head {}", at.layer, at.head);
    if (checkbox(ui, fmt::format("layers/off/{}.{}", at.layer, at.head), line, words, on,
                 {true, false, "context = 0 for this head; click switches it on again."})) {
      switch_head(ui, at.layer, at.head);
    }
    y += ui.px(26);
  }
  if (off.size() > most + 1) {
    const Rect line{{area.min.x, y}, {area.max.x, y + ui.px(22)}};
    const std::string words = unfolded != 0 ? "Fewer" : fmt::format("{} more", off.size() - shown_heads);
    if (button(ui, "layers/off/all", line, words, {true, false, "Lists all heads that are off, or only the first."})) {
      unfolded = unfolded != 0 ? 0 : 1;
    }
    y += ui.px(28);
  }
  if (off.empty()) return;
  const PredictionLook* before = shown.look.baseline_predictions.get();
  const PredictionLook* now = shown.look.predictions.get();
  if (before != nullptr && now != nullptr && !shown.trace->request.ablate.empty()) {
    const std::string sentence = change_sentence(*before, *now, shown.trace->request.ablate);
    y += ui.px(6);
    y += paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text, sentence) + ui.px(10);
    ui.mark("layers/change: " + sentence, area);
  }
  const Rect all{{area.min.x, y}, {area.min.x + ui.px(84), y + ui.px(24)}};
  if (button(ui, "layers/all_on", all, "All on", {true, false, "Switches every head on again."})) {
    ui.session.end_undo_step();
    ui.session.draft.ablate.clear();
  }
  y += ui.px(32);
}

// The mean over the phrase, and the picked token's own.
void draw_loss(Ui& ui, const LayersShown& shown, const Rect& area, float& y) {
  const PredictionLook& now = *shown.look.predictions;
  if (!now.mean_loss) return;
  const PredictionLook* before = shown.look.baseline_predictions.get();
  const bool compares = !shown.trace->request.ablate.empty() && before != nullptr && before->mean_loss;
  const Rect line{{area.min.x, y}, {area.max.x, y + ui.px(18)}};
  text_in(ui, line, Type::words12, ui.colors.text2, "loss, nats a token");
  std::string mean = number_label(*now.mean_loss, 3);
  if (compares) mean = number_label(*before->mean_loss, 3) + " → " + mean;
  text_in(ui, line, Type::mono12, ui.colors.text, mean, 1);
  ui.mark("layers/loss", line);
  y += ui.px(20);
  const std::int64_t token = ui.state.hover.query >= 0 ? ui.state.hover.query
                             : ui.session.view.cell    ? ui.session.view.cell->row
                                                       : -1;
  if (token < 0 || token >= static_cast<std::int64_t>(now.losses.size())) return;
  const std::optional<double>& loss = now.losses[static_cast<std::size_t>(token)];
  if (!loss) return;
  const Rect own{{area.min.x, y}, {area.max.x, y + ui.px(18)}};
  text_in(ui, own, Type::words12, ui.colors.text2,
          "of " + visible_piece(token_or_index(shown.trace->inputs->tokens, token)));
  text_in(ui, own, Type::mono12, ui.colors.text, number_label(*loss, 3), 1);
  y += ui.px(20);
}

}  // namespace

void draw_layers_predictions(Ui& ui, const LayersShown& shown, const Rect& outer) {
  ui.mark("layers/predictions", outer);
  const float padding = ui.px(size::panel_padding);
  double& content = ui.state.number["layers/predictions/content"];
  const ScrollArea scroll = begin_scroll(
      ui, "layers/predictions", outer, static_cast<float>(content) > outer.height() ? static_cast<float>(content) : 0);
  const Rect area{{outer.min.x + padding, outer.min.y - scroll.offset}, {outer.max.x - padding, outer.max.y}};
  float y = area.min.y;
  const PredictionLook* now = shown.look.predictions.get();
  const Rect header{{area.min.x, y}, {area.max.x, y + ui.px(size::panel_header)}};
  Rect line = header;
  const std::string title = now != nullptr ? title_of(*now, shown) : "Predictions";
  text_in(ui, take_left(line, std::ceil(text_width(ui, Type::title13, title)) + 1, ui.px(10)), Type::title13,
          ui.colors.text, title);
  text_in(ui, line, Type::words12, ui.colors.text2, "top 10");
  y += ui.px(size::panel_header);
  if (now == nullptr) {
    text_in(ui, {{area.min.x, y}, {area.max.x, y + ui.px(20)}}, Type::words12, ui.colors.text3, "Computing …");
  } else if (!now->failure.empty()) {
    paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text2, now->failure);
  } else {
    Rect keys{{area.min.x, y}, {area.max.x, y + ui.px(20)}};
    draw_key(ui, keys, ui.colors.text2, "all heads on");
    const std::size_t off = shown.trace->request.ablate.size();
    if (off > 0) draw_key(ui, keys, ui.colors.accent, fmt::format("{} off", off));
    y += ui.px(24);
    draw_bars(ui, shown, area, y);
    if (!shown.look.failure.empty()) {
      y += paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.warn,
                     "All heads on: " + shown.look.failure);
    }
    y += ui.px(4);
    draw_loss(ui, shown, area, y);
    draw_interventions(ui, shown, area, y);
  }
  content = static_cast<double>(y + scroll.offset - outer.min.y);
  end_scroll(ui);
}

}  // namespace headscope::ui

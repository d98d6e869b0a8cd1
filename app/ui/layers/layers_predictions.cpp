// What the model predicts, without interventions and with them; what each of them does; how well it knows each token.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/background/models/predictions.h"
#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/request/intervention_rows.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/intervention_list.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kShown = 10;
constexpr const char* kInterventions = "layers/interventions";
constexpr float kRow = 29, kRoomForNoun = 146;

std::string percent(double probability) {
  return std::isnan(probability) ? "…" : fmt::format("{:.1f}%", probability * 100);
}

std::string title_of(const PredictionResult& result, const LayersShown& shown) {
  if (result.next_token) {
    const bool last = result.position + 1 == shown.trace->query_len();
    return last ? "Next token" : fmt::format("After token {}", result.position);
  }
  return "At " + visible_piece(token_or_index(shown.trace->inputs->tokens, result.position));
}

void draw_key(Ui& ui, Rect& line, Rgba color, const std::string& words) {
  const float side = ui.px(9), middle = std::round(line.center().y - side / 2);
  fill({{line.min.x, middle}, {line.min.x + side, middle + side}}, color);
  line.min.x += side + ui.px(6);
  const float width = std::ceil(text_width(ui, Type::words12, words)) + 1;
  text_in(ui, take_left(line, width, ui.px(14)), Type::words12, ui.colors.text2, words);
}

void draw_keys(Ui& ui, std::size_t active, Rect line) {
  if (active == 0) return draw_key(ui, line, ui.colors.text2, "without interventions");
  draw_key(ui, line, ui.colors.text2, "without");
  const bool narrow = line.width() < ui.px(kRoomForNoun);
  const std::string noun = narrow ? "" : active == 1 ? " intervention" : " interventions";
  draw_key(ui, line, ui.colors.accent, fmt::format("with {}{}", active, noun));
}

// Of predictions that are there.
void draw_bars(Ui& ui, const LayersShown& shown, bool compares, const Rect& area, float& y) {
  const PredictionResult* before = shown.result.baseline_predictions.get();
  const PredictionResult& now = *shown.result.predictions;
  // While one of the two is on its way the other one stands alone.
  const PredictionResult& ordered = compares && before != nullptr && !before->tokens.empty() ? *before : now;
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
    const double without = before != nullptr ? before->probability_of(token.id) : NAN;
    const double with = now.probability_of(token.id);
    bar(without, middle - ui.px(8), ui.colors.text2);
    bar(with, middle + ui.px(1), ui.colors.accent);
    text_in(ui, {number.min, {number.max.x, middle + ui.px(1)}}, Type::mono11, ui.colors.text2, percent(without), 1);
    text_in(ui, {{number.min.x, middle}, number.max}, Type::mono11, ui.colors.text, percent(with), 1);
    if (k == 0) ui.mark(fmt::format("layers/prediction/{}", token.piece), line);
  }
}

// What one of several interventions does when it is the only one, to the token that is most probable without any.
InterventionFact alone_fact(const LayersShown& shown, const Intervention& which) {
  const ModelResult::AloneResult* alone = shown.result.alone_of(which.term);
  if (alone == nullptr) return {"…", "Computing what it does alone."};
  if (!alone->probability) return {"—", "Alone: " + control_words(alone->failure)};
  const TokenProbability& first = shown.result.baseline_predictions->tokens.front();
  const double points = (*alone->probability - first.probability) * 100;
  std::string change = points >= 0.05 ? "+" : "";
  change += std::abs(points) < 0.05 ? "0.0" : number_label(points, 1);
  return {change, fmt::format("Alone it takes {} from {} to {}.", visible_piece(first.piece),
                              percent(first.probability), percent(*alone->probability))};
}

void draw_interventions(Ui& ui, const LayersShown& shown, const std::vector<Intervention>& active, const Rect& area,
                        float& y) {
  const std::size_t listed = interventions_of(ui.session.draft, true).size();
  const std::size_t on = active_interventions(ui.session.draft, true).size();
  horizontal_line(ui, area.min.x - ui.px(14), area.max.x + ui.px(14), y + ui.px(6), ui.colors.line);
  y += ui.px(12);
  const auto next_row = [&](float height) {
    const Rect row{{area.min.x, y}, {area.max.x, y + ui.px(height)}};
    y += ui.px(height + 4);
    return row;
  };
  const Rect title = next_row(24);
  text_in(ui, title, Type::title12, ui.colors.text, "Interventions");
  const std::string state = listed == 0    ? "none"
                            : on == listed ? fmt::format("{} on", on)
                                           : fmt::format("{} on, {} off", on, listed - on);
  text_in(ui, title, Type::words12, ui.colors.text2, state, 1);
  if (listed == 0) {
    y += paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text3,
                   "X switches the picked head off. A right click on a head also holds or scales it, a double click on "
                   "a number edits it.");
    y += ui.px(8);
    return;
  }
  const PredictionResult* before = shown.result.baseline_predictions.get();
  const bool each_alone = active.size() > 1 && before != nullptr && !before->tokens.empty();
  if (each_alone) {
    const std::string words = "each alone, % points of " + visible_piece(before->tokens.front().piece);
    text_in(ui, next_row(14), Type::words11, ui.colors.text3, words, 1);
  }
  std::size_t asked = 0;
  draw_intervention_rows(ui, kInterventions, next_row, [&](const Intervention& which) {
    const bool answered = each_alone && which.on && ++asked <= kMostAlone;
    const InterventionFact fact = answered ? alone_fact(shown, which) : InterventionFact{};
    if (!fact.words.empty()) ui.mark(fmt::format("layers/alone/{}: {}", which.term, fact.words), area);
    return fact;
  });
  const PredictionResult* now = shown.result.predictions.get();
  if (before != nullptr && now != nullptr && !active.empty()) {
    const std::string sentence = change_sentence(*before, *now, active);
    y += ui.px(4);
    y += paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text, sentence) + ui.px(10);
    ui.mark("layers/change: " + sentence, area);
  }
  draw_intervention_buttons(ui, kInterventions, next_row(24));
  y += ui.px(6);
}

// The mean over the phrase, and the picked token's own.
void draw_loss(Ui& ui, const LayersShown& shown, bool intervenes, const Rect& area, float& y) {
  const PredictionResult& now = *shown.result.predictions;
  if (!now.mean_loss) return;
  const PredictionResult* before = shown.result.baseline_predictions.get();
  const bool compares = intervenes && before != nullptr && before->mean_loss;
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

std::size_t interventions_asked_alone(const Ui& ui) {
  const std::vector<Intervention> all = interventions_of(ui.session.draft, true);
  const auto shown = static_cast<std::ptrdiff_t>(shown_interventions(ui, kInterventions, all.size()));
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.begin() + shown, [](const Intervention& each) { return each.on; }));
}

void draw_layers_predictions(Ui& ui, const LayersShown& shown, const Rect& outer) {
  ui.mark("layers/predictions", outer);
  const float padding = ui.px(size::panel_padding);
  float& content = ui.state.panels.get<LayersState>().predictions_height;
  const ScrollArea scroll = begin_scroll(ui, "layers/predictions", outer, content > outer.height() ? content : 0);
  const Rect area{{outer.min.x + padding, outer.min.y - scroll.offset}, {outer.max.x - padding, outer.max.y}};
  float y = area.min.y;
  const PredictionResult* now = shown.result.predictions.get();
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
    paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.text2, control_words(now->failure));
  } else {
    const std::vector<Intervention> active = active_interventions(shown.trace->request, true);
    draw_keys(ui, active.size(), {{area.min.x, y}, {area.max.x, y + ui.px(20)}});
    y += ui.px(24);
    draw_bars(ui, shown, !active.empty(), area, y);
    if (!shown.result.failure.empty()) {
      y += paragraph(ui, {{area.min.x, y}, {area.max.x, y}}, Type::words12, ui.colors.warn,
                     "Without interventions: " + control_words(shown.result.failure));
    }
    y += ui.px(4);
    draw_loss(ui, shown, !active.empty(), area, y);
    draw_interventions(ui, shown, active, area, y);
  }
  content = y + scroll.offset - outer.min.y;
  end_scroll(ui);
}

}  // namespace headscope::ui

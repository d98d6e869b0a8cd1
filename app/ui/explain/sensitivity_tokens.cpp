#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/explain/sensitivity_shown.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 24, kTitle = 30;

void draw_bar(Ui& ui, const Rect& area, double value, double largest, bool is_signed) {
  const float middle = std::round(area.center().y), half = ui.px(5);
  fill({{area.min.x, middle - half}, {area.max.x, middle + half}}, ui.colors.well);
  if (!std::isfinite(value) || largest <= 0) return;
  const float zero = is_signed ? std::round(area.center().x) : area.min.x;
  const float reach = (is_signed ? area.width() / 2 : area.width()) * static_cast<float>(std::abs(value) / largest);
  const float end = value < 0 ? zero - reach : zero + reach;
  if (value != 0) {
    fill({{std::min(zero, end), middle - half}, {std::max({zero, end, zero + 1}), middle + half}},
         value < 0 ? ui.colors.bar_negative : ui.colors.bar_positive);
  }
  if (is_signed) vertical_line(ui, zero, middle - half - ui.px(1), middle + half + ui.px(1), ui.colors.text3);
}

// Narrow enough for the column: four decimals, or two digits and an exponent.
std::string token_number(double value) {
  return value == 0 || !(std::abs(value) < 1e-3) ? number_label(value, 4) : number_label(value, 1, true);
}

// The largest numbers of a list: the ends of its bars.
struct Ends {
  double norm = 0, times = 0;
};

Ends ends_of(const TokenSensitivity& tokens) {
  Ends ends;
  for (const double norm : tokens.norm) ends.norm = std::max(ends.norm, std::isfinite(norm) ? norm : 0);
  for (const double times : tokens.times_vector) {
    ends.times = std::max(ends.times, std::isfinite(times) ? std::abs(times) : 0);
  }
  return ends;
}

void draw_titles(Ui& ui, const TokenSensitivity& tokens, const Rect& title, Rect heads) {
  text_in(ui, title, Type::title12, ui.colors.text, fmt::format("By token, through {}", stage_name(tokens.stage)));
  take_left(heads, ui.px(116), 0);
  const Rect left = take_left(heads, std::floor(heads.width() / 2), ui.px(12));
  text_in(ui, left, Type::words11, ui.colors.text2, "|gradient|");
  text_in(ui, heads, Type::words11, ui.colors.text2, "gradient · vector");
}

// One token: its position, its words, the two numbers with their bars.
void draw_token(Ui& ui, const TokenSensitivity& tokens, std::size_t i, const std::string& name, const Ends& ends,
                Rect rest) {
  const Rgba role = rows_are_keys(tokens.stage) ? ui.colors.key : ui.colors.query;
  text_in(ui, take_left(rest, ui.px(24), ui.px(6)), Type::mono11, ui.colors.text3, std::to_string(i), 1);
  text_in(ui, take_left(rest, ui.px(80), ui.px(6)), Type::mono12, role,
          shortened_to(ui, Type::mono12, visible_piece(name), ui.px(80)));
  Rect left = take_left(rest, std::floor(rest.width() / 2), ui.px(12));
  text_in(ui, take_right(left, ui.px(64), ui.px(8)), Type::mono12, ui.colors.text, token_number(tokens.norm[i]), 1);
  draw_bar(ui, left, tokens.norm[i], ends.norm, false);
  text_in(ui, take_right(rest, ui.px(68), ui.px(8)), Type::mono12, ui.colors.text, token_number(tokens.times_vector[i]),
          1);
  draw_bar(ui, rest, tokens.times_vector[i], ends.times, true);
}

// The tokens of one input from `y` on, those inside `area`; returns the y below them.
float draw_list(Ui& ui, const Inputs& inputs, const TokenSensitivity& tokens, const Rect& area, float y) {
  const bool is_key = rows_are_keys(tokens.stage);
  const std::vector<std::string>& names = is_key ? inputs.key_tokens : inputs.tokens;
  const float left = area.min.x + ui.px(14), right = area.max.x - ui.px(14);
  const float below = y + ui.px(kTitle);
  draw_titles(ui, tokens, {{left, y}, {right, below}}, {{left, below}, {right, below + ui.px(20)}});
  y = below + ui.px(24);
  const Ends ends = ends_of(tokens);
  for (std::size_t i = 0; i < tokens.norm.size(); ++i) {
    const Rect line{{left, y}, {right, y + ui.px(kRow)}};
    y += ui.px(kRow);
    if (line.max.y < area.min.y || line.min.y > area.max.y) continue;
    ui.mark(fmt::format("sensitivity/token/{}/{}", stage_name(tokens.stage), i), line);
    const auto position = static_cast<std::int64_t>(i);
    if (mouse_over(ui, line)) {
      fill({{area.min.x, line.min.y}, {area.max.x, line.max.y}}, ui.colors.hover);
      (is_key ? ui.state.next_hover.key : ui.state.next_hover.query) = position;
    }
    draw_token(ui, tokens, i, token_or_index(names, position), ends, line);
  }
  return y;
}

}  // namespace

void draw_sensitivity_tokens(Ui& ui, const SensitivityShown& shown, const Sensitivity& found, const Rect& area) {
  const Trace& trace = shown.data.trace();
  std::size_t rows = 0;
  for (const TokenSensitivity& tokens : found.tokens) rows += tokens.norm.size();
  const float content = ui.px(kTitle + 26) * static_cast<float>(std::max<std::size_t>(1, found.tokens.size())) +
                        ui.px(kRow) * static_cast<float>(rows) + ui.px(60);
  const ScrollArea scroll = begin_scroll(ui, "sensitivity/tokens", area, content > area.height() ? content : 0);
  const Rect inner{{area.min.x + ui.px(14), 0}, {area.max.x - ui.px(14), 0}};
  float y = area.min.y - scroll.offset;
  for (const TokenSensitivity& tokens : found.tokens) y = draw_list(ui, *trace.inputs, tokens, area, y);
  if (found.tokens.empty()) {
    text_in(ui, {{inner.min.x, y}, {inner.max.x, y + ui.px(kTitle)}}, Type::words12, ui.colors.text3,
            "No token's vector changes this number.");
    y += ui.px(kTitle);
  }
  const bool layer = trace.model != nullptr;
  paragraph(ui, {{inner.min.x, y + ui.px(6)}, {inner.max.x, y}}, Type::words11, ui.colors.text3,
            layer ? "gradient · vector: the change, to first order, if the vector grew by 100 %. Within this layer: of "
                    "what enters its attention."
                  : "gradient · vector: the change, to first order, if the token's vector grew by 100 %.");
  end_scroll(ui);
}

}  // namespace headscope::ui

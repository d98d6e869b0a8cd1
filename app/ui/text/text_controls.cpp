// Which weights shade the text: row or column, sum or mean, and the heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/text/text_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kChip = 70, kWideChip = 80, kGap = 6;  // heads from 10 on have two digits

bool is_chosen(const TextShown& shown, std::int64_t head) {
  return std::binary_search(shown.request.heads.begin(), shown.request.heads.end(), head);
}

void choose_heads(Ui& ui, const TextShown& shown, std::vector<std::int64_t> heads) {
  std::sort(heads.begin(), heads.end());
  const bool all = std::ssize(heads) == shown.data.trace().num_heads();
  ui.session.view.text.heads = all ? std::nullopt : std::optional(std::move(heads));
}

void toggle_head(Ui& ui, const TextShown& shown, std::int64_t head) {
  std::vector<std::int64_t> heads = shown.request.heads;
  if (std::erase(heads, head) == 0) {
    heads.push_back(head);
    ui.session.view.head = head;  // the explanation is of this head
  }
  choose_heads(ui, shown, std::move(heads));
}

// A square in the head's colour, its number, its weight on the pair's other word.
void draw_head(Ui& ui, const TextShown& shown, const Rect& rect, std::int64_t head) {
  const bool on = is_chosen(shown, head);
  const std::string tip = fmt::format("Head {}: on or off{}. With Shift: this head alone.", head,
                                      head < 9 ? fmt::format(" (key {})", head + 1) : "");
  const Interaction it = interact(ui, fmt::format("text/head/{}", head), rect, {true, false, tip.c_str()});
  const float radius = ui.px(size::radius_control);
  fill(rect, on ? ui.colors.tint : it.hovered ? ui.colors.hover : ui.colors.raised, radius);
  outline(ui, rect, on ? ui.colors.accent : it.hovered ? ui.colors.text2 : ui.colors.edge, on ? 1.5f : 1, radius);
  const float side = ui.px(9), top = std::round(rect.center().y - side / 2), left = rect.min.x + ui.px(7);
  fill({{left, top}, {left + side, top + side}}, head_color(head));
  Rect rest{{left + side + ui.px(6), rect.min.y}, {rect.max.x - ui.px(6), rect.max.y}};
  const std::int64_t partner = shown.partner(ui);
  if (const TextWeights* known = shown.weights(); known != nullptr && partner >= 0) {
    const std::string weight = cell_label(static_cast<double>(known->by_head.at({head, partner})));
    text_in(ui, take_right(rest, ui.px(28), 2), Type::mono11, on ? ui.colors.text : ui.colors.text3,
            weight.empty() ? ".00" : weight, 1);
  }
  text_in(ui, rest, on ? Type::mono_bold12 : Type::mono12, on ? ui.colors.text : ui.colors.text2, std::to_string(head));
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, radius);
  if (!it.clicked) return;
  if (ui.shift_held) {
    ui.session.view.head = head;
    choose_heads(ui, shown, {head});
  } else {
    toggle_head(ui, shown, head);
  }
}

// 1 ... 9 switch heads while no field has the focus.
void read_head_keys(Ui& ui, const TextShown& shown) {
  if (!ui.on_top() || !(ui.state.focus.empty() || ui.state.focus.starts_with("text/"))) return;
  for (std::int64_t head = 0; head < std::min<std::int64_t>(shown.data.trace().num_heads(), 9); ++head) {
    const auto key = static_cast<KeyName>(static_cast<int>(KeyName::one) + static_cast<int>(head));
    if (ui.take_key(key)) toggle_head(ui, shown, head);
  }
}

}  // namespace

void draw_text_header(Ui& ui, const TextShown& shown, const Rect& area) {
  ViewState& view = ui.session.view;
  Rect all = area;
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  int along = shown.row ? 0 : 1;
  if (segments(ui, "text/along", take_right(line, ui.px(130), ui.px(6)), {"row", "column"}, along,
               {true, false,
                "row: the keys that the picked query looks at. column: the queries that look at the "
                "picked key."})) {
    view.text.along = along == 0 ? TextAlong::row : TextAlong::column;
    ui.state.panels.get<TextPanelState>().partner_waits = true;
  }
  int combined = view.text.combined == HeadsCombined::sum ? 0 : 1;
  if (segments(ui, "text/combined", take_right(line, ui.px(110), ui.px(6)), {"sum", "mean"}, combined,
               {true, false, "What becomes of the weights of several heads."})) {
    view.text.combined = combined == 0 ? HeadsCombined::sum : HeadsCombined::mean;
  }
  color_map_combo(ui, "text/colormap", take_right(line, ui.px(92), ui.px(6)), true);
  all.max.x = line.max.x;
  Rect rest = panel_header(ui, all, "", "");
  const auto piece = [&](Type type, Rgba color, const std::string& words) {
    if (rest.width() < ui.px(20)) return;
    text_in(ui, rest, type, color, words);
    rest.min.x += std::ceil(text_width(ui, type, words));
  };
  const std::vector<std::string>& names =
      shown.row ? shown.data.rows(StageId::weights) : shown.data.columns(StageId::weights);
  piece(Type::words12, ui.colors.text2, shown.row ? "what " : "what looks at ");
  piece(Type::mono_bold12, shown.own_color(ui), token_or_index(names, shown.request.token));
  piece(Type::mono12, ui.colors.text3, fmt::format(" {}", shown.request.token));
  std::string end = shown.row ? " looks at" : "";
  if (shown.data.trace().model != nullptr) end += fmt::format(", layer {}", shown.data.trace().inputs->layer);
  piece(Type::words12, ui.colors.text2, end);
}

float draw_text_heads(Ui& ui, const TextShown& shown, const Rect& area) {
  const std::int64_t heads = shown.data.trace().num_heads();
  const float height = ui.px(size::control_height), pitch = ui.px(size::row_height);
  const float label = std::ceil(text_width(ui, Type::words12, "heads")) + ui.px(10);
  float x = area.min.x + label, y = area.min.y + ui.px(2);
  text_in(ui, {{area.min.x, y}, {x, y + height}}, Type::words12, ui.colors.text2, "heads");
  const auto next = [&](float width) {
    if (x + width > area.max.x && x > area.min.x + label) {
      x = area.min.x + label;
      y += pitch;
    }
    const Rect place{{x, y}, {x + width, y + height}};
    x += width + ui.px(kGap);
    return place;
  };
  const auto button_width = [&](const char* words, float least) {
    return std::max(ui.px(least), std::ceil(text_width(ui, Type::words12, words)) + ui.px(16));
  };
  for (std::int64_t head = 0; head < heads; ++head)
    draw_head(ui, shown, next(ui.px(head < 10 ? kChip : kWideChip)), head);
  if (button(ui, "text/all", next(button_width("all", 40)), "all", {true, false, "Every head."})) {
    ui.session.view.text.heads.reset();
  }
  if (button(ui, "text/none", next(button_width("none", 48)), "none", {true, false, "No head: then choose some."})) {
    ui.session.view.text.heads = std::vector<std::int64_t>();
  }
  const std::string words = shown.request.heads.size() == 1
                                ? fmt::format("head {} alone", shown.request.heads.front())
                                : fmt::format("{} of {} heads", shown.request.heads.size(), heads);
  const float width = std::ceil(text_width(ui, Type::title12, words)) + 1;
  if (x + width <= area.max.x) {
    text_in(ui, {{area.max.x - width, y}, {area.max.x, y + height}}, Type::title12, ui.colors.text, words, 1);
  }
  read_head_keys(ui, shown);
  return y + pitch - area.min.y;
}

}  // namespace headscope::ui

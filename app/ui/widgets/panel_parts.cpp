// Pieces of panels: header, notice bar, read-only value, the box of a problem.
#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/request_text.h"

namespace headscope::ui {

Rect panel_header(Ui& ui, const Rect& area, const Words& title, const Words& fact, int head, bool mono_title) {
  const float padding = ui.px(size::panel_padding);
  Rect line{{area.min.x + padding, area.min.y},
            {area.max.x - padding, std::min(area.max.y, area.min.y + ui.px(size::panel_header))}};
  if (head >= 0) {
    const float side = ui.px(10);
    const float top = std::round(line.center().y - side / 2);
    fill({{line.min.x, top}, {line.min.x + side, top + side}}, head_color(head));
    line.min.x += side + ui.px(8);
  }
  const Type type = mono_title ? Type::mono_bold12 : Type::title13;
  const float width = std::ceil(text_width(ui, type, title));
  text_in(ui, {line.min, {std::min(line.max.x, line.min.x + width + 1), line.max.y}}, type, ui.colors.text, title);
  if (!title.text.empty()) line.min.x += width + ui.px(12);
  // A number whose end is cut is another number: a fact stands whole, or not at all.
  const float fact_width = std::ceil(text_width(ui, mono_title ? Type::mono12 : Type::words12, fact));
  if (!fact.text.empty() && fact_width <= line.width()) {
    text_in(ui, {line.min, {line.min.x + fact_width + 1, line.max.y}}, mono_title ? Type::mono12 : Type::words12,
            ui.colors.text2, fact);
    line.min.x += fact_width + ui.px(10);
  }
  return line;
}

void locked_value(Ui& ui, const Rect& rect, const Words& value, const char* why) {
  Rect words = rect;
  const Rect lock = take_right(words, ui.px(14), ui.px(6));
  text_in(ui, words, Type::mono12, ui.colors.text2, value);
  draw_icon(ui, Icon::lock, {lock.center().x, std::round(lock.center().y)}, ui.px(11), ui.colors.text3);
  if (mouse_over(ui, rect)) tooltip(ui, rect, why);
}

NoticePress notice_bar(Ui& ui, const std::string& name, const Rect& rect, const Notice& notice, const NoticeBar& bar) {
  const Palette& c = ui.colors;
  const bool info = notice.kind == Notice::Kind::info, warn = notice.kind == Notice::Kind::warn;
  const Rgba stripe = info ? c.accent : warn ? c.warn : c.bad;
  ui.mark(name, rect);
  fill(rect, info ? c.raised : warn ? c.warn_ground : c.bad_ground);
  fill({rect.min, {rect.min.x + ui.px(3), rect.max.y}}, stripe);
  Rect line{{rect.min.x + ui.px(size::panel_padding), rect.min.y},
            {rect.max.x - ui.px(size::panel_padding), rect.max.y}};
  if (!info) {
    draw_icon(ui, Icon::warning, {line.min.x + ui.px(7), std::round(rect.center().y)}, ui.px(14), stripe);
    line.min.x += ui.px(24);
  }
  NoticePress pressed = NoticePress::none;
  const float top = std::round(rect.center().y - ui.px(12));
  const auto control = [&](float width) {
    const Rect place = take_right(line, width, ui.px(12));
    return Rect{{place.min.x, top}, {place.max.x, top + ui.px(24)}};
  };
  if (bar.closes && icon_button(ui, name + "/close", control(ui.px(24)), Icon::close, {true, false, "Puts it away."})) {
    pressed = NoticePress::close;
  }
  if (!bar.button.empty()) {
    const float width = std::max(ui.px(80), std::ceil(text_width(ui, Type::words12, bar.button)) + ui.px(32));
    if (button(ui, name + "/button", control(width), bar.button)) pressed = NoticePress::button;
  }
  const float fact = std::ceil(text_width(ui, Type::title13, notice.fact));
  text_in(ui, {line.min, {std::min(line.max.x, line.min.x + fact + 1), line.max.y}}, Type::title13, c.text,
          notice.fact);
  line.min.x += fact + ui.px(10);
  if (line.width() > ui.px(24)) text_in(ui, line, Type::words13, info ? c.text2 : c.text, notice.advice);
  return pressed;
}

namespace {

void apply(Ui& ui, const Suggestion& suggestion) {
  ui.push(CommandId::set_option, suggestion.option + "=" + suggestion.value);
}

// "keep 7 heads with d_model 511": what the button does is the end of the label, drawn as a link.
float suggestion_line(Ui& ui, const std::string& name, ImVec2 at, float width, const Suggestion& suggestion) {
  const float height = ui.px(22);
  std::string words = "or " + suggestion.label, link;
  const std::size_t cut = suggestion.label.rfind(" with ");
  if (cut != std::string::npos) {
    words = "or " + suggestion.label.substr(0, cut + 6);
    link = suggestion.label.substr(cut + 6);
  } else {
    words = "or ";
    link = suggestion.label;
  }
  const float before = text_width(ui, Type::words12, words);
  text_in(ui, {at, {at.x + width, at.y + height}}, Type::words12, ui.colors.text2, words);
  const float link_width = std::min(width - before, std::ceil(text_width(ui, Type::words12, link)) + 1);
  const Rect place{{std::round(at.x + before), at.y},
                   {std::round(at.x + before + std::max(ui.px(20), link_width)), at.y + height}};
  const Interaction it = interact(ui, name, place);
  text_in(ui, place, Type::words12, ui.colors.accent, link);
  if (it.hovered) horizontal_line(ui, place.min.x, place.max.x, place.max.y - ui.px(4), ui.colors.accent);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(2)), ui.px(3));
  if (it.clicked) apply(ui, suggestion);
  return height;
}

}  // namespace

float problem_box(Ui& ui, const std::string& name, const Rect& top_left_and_width, const Problem& problem) {
  const Palette& c = ui.colors;
  const Rect& area = top_left_and_width;
  const float left = area.min.x + ui.px(10), right = area.max.x - ui.px(8);
  // The ground lies under what is measured while drawing: two channels of the draw list.
  ImDrawList& list = canvas();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  float y = area.min.y + ui.px(7);
  draw_icon(ui, Icon::warning, {left + ui.px(7), y + ui.px(9)}, ui.px(14), c.bad);
  y += paragraph(ui, {{left + ui.px(22), y + ui.px(1)}, {right, y}}, Type::title12, c.text, problem.title);
  y += ui.px(7);
  if (!problem.detail.empty()) y += paragraph(ui, {{left, y}, {right, y}}, Type::words12, c.text2, problem.detail);
  y += ui.px(4);
  float x = left;
  const float height = ui.px(22), gap = ui.px(4);
  bool any = false;
  // The value that the last good result has is the one to go back to.
  const auto trace = ui.session.trace();
  const std::string good = trace != nullptr && problem.option == "heads" ? std::to_string(trace->num_heads()) : "";
  const auto is_short = [](const Suggestion& s) { return s.label.size() <= 12; };
  for (const Suggestion& suggestion : problem.suggestions) {
    if (!is_short(suggestion)) continue;
    const float width = std::max(ui.px(32), std::ceil(text_width(ui, Type::mono12, suggestion.label)) + ui.px(16));
    if (any && x + width > right) {
      x = left;
      y += ui.px(28);
    }
    const Rect place{{x, y}, {std::round(x + width), y + height}};
    const Interaction it = interact(ui, name + "/" + suggestion.label, place);
    const float radius = ui.px(size::radius_control);
    fill(place, it.hovered ? c.hover : c.raised, radius);
    outline(ui, place, it.hovered || suggestion.value == good ? c.accent : c.edge, 1, radius);
    text_in(ui, place, Type::mono12, c.text, suggestion.label, 0.5f);
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, place, radius);
    if (it.clicked) apply(ui, suggestion);
    x = place.max.x + gap;
    any = true;
  }
  if (any) y += height + ui.px(8);
  for (const Suggestion& suggestion : problem.suggestions) {
    if (!is_short(suggestion))
      y += suggestion_line(ui, name + "/" + suggestion.label, {left, y}, right - left, suggestion);
  }
  y += ui.px(6);
  list.ChannelsSetCurrent(0);
  const Rect box{area.min, {area.max.x, std::round(y)}};
  fill(box, c.bad_ground, ui.px(size::radius_control));
  outline(ui, box, c.bad, 1, ui.px(size::radius_control));
  list.ChannelsMerge();
  ui.mark(name, box);
  return box.height();
}

}  // namespace headscope::ui

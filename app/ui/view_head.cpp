#include "app/ui/view_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char *kHow = "How to read it:", *kMore = "more", *kHowLink = "how to read it";

// Words that can be clicked.
void draw_link(Ui& ui, const Rect& place, const char* words, bool hovered) {
  const Rgba ink = hovered ? ui.colors.text : ui.colors.accent;
  text_in(ui, place, Type::words13, ink, words);
  dotted_line(ui, place.min.x, place.min.x + text_width(ui, Type::words13, words),
              std::round(place.center().y + ui.px(9)), ink);
}

// A link that opens the guide's page of the view, at the left of `line`, whose rest is left.
void guide_link(Ui& ui, Rect& line, const char* words, const MainViewInfo& info) {
  const Rect place = take_left(line, std::ceil(text_width(ui, Type::words13, words)) + 1, ui.px(8));
  const std::string tooltip = fmt::format("How to read {}: {} A click opens the guide.", info.name, info.how);
  const Interaction it = interact(ui, "view_head/more", place, {true, false, tooltip.c_str()});
  draw_link(ui, place, words, it.hovered);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(2)), ui.px(size::radius_control));
  if (it.clicked) ui.push(CommandId::guide, info.guide);
}

Rgba ink_of(const Ui& ui, FindingLink::Ink ink) {
  switch (ink) {
    case FindingLink::Ink::number:
      return ui.colors.accent;
    case FindingLink::Ink::query:
      return ui.colors.query;
    case FindingLink::Ink::key:
      return ui.colors.key;
    case FindingLink::Ink::word:
      return ui.colors.text;
  }
  return ui.colors.text;
}

// Words in the colour of what they name, with dots below; a number stays in the ink of the sentence.
bool draw_finding_link(Ui& ui, const Rect& place, const FindingLink& link, const std::string& words) {
  const Interaction it = interact(ui, "view_head/" + link.name, place, {true, false, link.tooltip.c_str()});
  const Rgba ink = ink_of(ui, link.ink);
  const bool number = link.ink == FindingLink::Ink::number;
  text_in(ui, {place.min, {place.max.x + 1, place.max.y}}, Type::words16, number && !it.hovered ? ui.colors.text : ink,
          words);
  dotted_line(ui, place.min.x, place.max.x, std::round(place.center().y + ui.px(11)), ink);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(2)), ui.px(size::radius_control));
  return it.clicked;
}

// The sentence piece by piece; what has no room any more is cut, and is no link.
void draw_sentence(Ui& ui, Rect line, const ViewFinding& finding) {
  const std::string& sentence = finding.sentence;
  const auto width = [&](const std::string& words) { return std::ceil(text_width(ui, Type::words16, words)); };
  std::size_t at = 0;
  float x = line.min.x;
  const FindingLink* clicked = nullptr;
  for (const FindingLink& link : finding.links) {
    const std::string before = sentence.substr(at, link.at - at), words = sentence.substr(link.at, link.length);
    const float start = x + width(before);
    if (start + width(words) > line.max.x) break;
    text_in(ui, {{x, line.min.y}, {start + 1, line.max.y}}, Type::words16, ui.colors.text, before);
    const float end = start + width(words);
    const float half = ui.px(13), middle = line.center().y;
    if (draw_finding_link(ui, {{start, middle - half}, {end, middle + half}}, link, words)) clicked = &link;
    x = end;
    at = link.at + link.length;
  }
  text_in(ui, {{x, line.min.y}, line.max}, Type::words16, ui.colors.text, sentence.substr(at));
  if (clicked != nullptr && clicked->go) clicked->go(ui);
}

void draw_first_line(Ui& ui, Rect line, const MainViewInfo& info, bool with_link) {
  const ViewFinding& finding = ui.state.panels.get<ViewFinding>();
  const bool said = finding.of == info.view && !finding.sentence.empty();
  const std::string heading = said && !finding.heading.empty() ? finding.heading : info.name;
  text_in(ui, take_left(line, std::ceil(text_width(ui, Type::title15, heading)) + 1, ui.px(8)), Type::title15,
          ui.colors.text, heading);
  if (with_link) {
    Rect link = take_right(line, std::ceil(text_width(ui, Type::words13, kHowLink)) + 1, ui.px(12));
    guide_link(ui, link, kHowLink, info);
  }
  if (!said) return;
  // Longer than the line: the whole of it is read while the mouse rests there.
  if (text_width(ui, Type::words16, finding.sentence) > line.width()) {
    interact(ui, "view_head/finding", line, {true, false, finding.sentence.c_str()}, false);
  }
  draw_sentence(ui, line, finding);
}

}  // namespace

void say_finding(Ui& ui, MainView view, std::string sentence, std::string heading, std::vector<FindingLink> links) {
  ViewFinding& finding = ui.state.panels.get<ViewFinding>();
  finding.of = view;
  finding.sentence = std::move(sentence);
  finding.heading = std::move(heading);
  finding.links = std::move(links);
}

void draw_view_head(Ui& ui, const Rect& area, const MainViewInfo& info) {
  ui.mark("view_head", area);
  const float padding = ui.px(size::panel_padding);
  Rect line{{area.min.x + padding, area.min.y}, {area.max.x - padding, area.max.y}};
  const bool two = area.height() > ui.px(size::view_head_small);
  if (two) line.max.y = area.min.y + ui.px(38);
  draw_first_line(ui, line, info, !two);
  if (two) {
    Rect second{{line.min.x, area.min.y + ui.px(34)}, {line.max.x, area.min.y + ui.px(58)}};
    text_in(ui, take_left(second, std::ceil(text_width(ui, Type::title13, kHow)) + 1, ui.px(5)), Type::title13,
            ui.colors.text2, kHow);
    const float width = std::min(std::ceil(text_width(ui, Type::words13, info.how)) + 1,
                                 second.width() - std::ceil(text_width(ui, Type::words13, kMore)) - ui.px(9));
    text_in(ui, take_left(second, width, ui.px(8)), Type::words13, ui.colors.text2, info.how);
    guide_link(ui, second, kMore, info);
  }
  horizontal_line(ui, area.min.x, area.max.x, area.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);
}

}  // namespace headscope::ui

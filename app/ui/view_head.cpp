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
  text_in(ui, line, Type::words16, ui.colors.text, finding.sentence);
}

}  // namespace

void say_finding(Ui& ui, MainView view, std::string sentence, std::string heading) {
  ViewFinding& finding = ui.state.panels.get<ViewFinding>();
  finding.of = view;
  finding.sentence = std::move(sentence);
  finding.heading = std::move(heading);
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

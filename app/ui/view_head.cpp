#include "app/ui/view_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
          given(words));
  dotted_line(ui, place.min.x, place.max.x, std::round(place.center().y + ui.px(11)), ink);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(2)), ui.px(size::radius_control));
  return it.clicked;
}

constexpr float kFindingLine = 22;

float words_width(Ui& ui, std::string_view words) {
  return std::ceil(text_width(ui, Type::words16, given(words)));
}

// A part of the sentence that stands in one line; a link is never broken.
struct Part {
  std::string words;
  const FindingLink* link = nullptr;
  int line = 0;
  float from = 0, to = 0;
};

// Sets the parts of a sentence one after the other, in at most two lines from `left` to `right`.
struct SentenceSetter {
  Ui& ui;
  float left, right;
  int last_line;  // 0 or 1
  float x = 0;
  int line = 0;
  std::vector<Part> parts = {};

  void put(std::string_view words, const FindingLink* link) {
    const float width = words_width(ui, words);
    parts.push_back({std::string(words), link, line, x, std::min(x + width, right)});
    x += width;
  }
  void next_line() {
    ++line;
    x = left;
  }
  void put_link(std::string_view words, const FindingLink& link) {
    if (x + words_width(ui, words) > right && line < last_line) next_line();
    // What has no room any more is cut, and is no link.
    put(words, x + words_width(ui, words) > right ? nullptr : &link);
  }
  // Broken after the last blank before which all fits.
  void put_words(std::string_view words) {
    if (words.empty()) return;
    if (line == last_line || x + words_width(ui, words) <= right) return put(words, nullptr);
    std::size_t end = words.rfind(' ');
    while (end != words.npos && x + words_width(ui, words.substr(0, end)) > right) {
      end = end == 0 ? words.npos : words.rfind(' ', end - 1);
    }
    if (end != words.npos && end > 0) put(words.substr(0, end), nullptr);
    next_line();
    put_words(words.substr(end == words.npos ? 0 : end + 1));
  }
};

std::vector<Part> parts_of(Ui& ui, const ViewFinding& finding, float left, float right, int lines) {
  SentenceSetter setter{ui, left, right, lines - 1, left};
  const std::string_view sentence = finding.sentence;
  std::size_t at = 0;
  for (const FindingLink& link : finding.links) {
    setter.put_words(sentence.substr(at, link.at - at));
    setter.put_link(sentence.substr(link.at, link.length), link);
    at = link.at + link.length;
  }
  setter.put_words(sentence.substr(at));
  return std::move(setter.parts);
}

// `line`: the first of `lines`.
void draw_sentence(Ui& ui, const Rect& line, const ViewFinding& finding, int lines) {
  const FindingLink* clicked = nullptr;
  for (const Part& part : parts_of(ui, finding, line.min.x, line.max.x, lines)) {
    const float down = static_cast<float>(part.line) * ui.px(kFindingLine), half = ui.px(13),
                middle = line.center().y + down;
    if (part.link == nullptr) {
      if (part.from >= line.max.x) break;
      text_in(ui, {{part.from, line.min.y + down}, {std::min(part.to + 1, line.max.x), line.max.y + down}},
              Type::words16, ui.colors.text, given(part.words));
    } else if (draw_finding_link(ui, {{part.from, middle - half}, {part.to, middle + half}}, *part.link, part.words)) {
      clicked = part.link;
    }
  }
  if (clicked != nullptr && clicked->go) clicked->go(ui);
}

// The sentences that have room in one line; all where the first has none.
ViewFinding whole_sentences(Ui& ui, ViewFinding finding, float room) {
  for (std::string words = finding.sentence; !words.empty();) {
    if (words_width(ui, words) <= room) {
      finding.sentence = std::move(words);
      std::erase_if(finding.links,
                    [&](const FindingLink& link) { return link.at + link.length > finding.sentence.size(); });
      break;
    }
    const std::size_t end = words.rfind(". ");
    words.resize(end == words.npos ? 0 : end + 1);
  }
  return finding;
}

// The finding in the window's language: what stands between its links, and numbers; words of the text stay as they are.
ViewFinding spoken_finding(Ui& ui) {
  ViewFinding finding = ui.state.panels.get<ViewFinding>();
  if (ui.translation == nullptr) return finding;
  const std::string english = std::exchange(finding.sentence, "");
  std::size_t at = 0;
  for (FindingLink& link : finding.links) {
    finding.sentence += said(ui, english.substr(at, link.at - at));
    const std::string words = english.substr(link.at, link.length);
    at = link.at + link.length;
    link.at = finding.sentence.size();
    finding.sentence +=
        link.is_said || link.ink == FindingLink::Ink::number ? said(ui, words) : std::string_view(words);
    link.length = finding.sentence.size() - link.at;
  }
  finding.sentence += said(ui, english.substr(at));
  return finding;
}

bool is_said(Ui& ui, const MainViewInfo& info) {
  const ViewFinding& finding = ui.state.panels.get<ViewFinding>();
  return finding.of == info.view && !finding.sentence.empty();
}

std::string heading_of(Ui& ui, const MainViewInfo& info) {
  const ViewFinding& finding = ui.state.panels.get<ViewFinding>();
  return is_said(ui, info) && !finding.heading.empty() ? finding.heading : info.name;
}

float heading_width(Ui& ui, const MainViewInfo& info) {
  return std::ceil(text_width(ui, Type::title15, heading_of(ui, info))) + 1;
}

float how_link_width(Ui& ui) {
  return std::ceil(text_width(ui, Type::words13, kHowLink)) + 1;
}

void draw_finding(Ui& ui, Rect line, const MainViewInfo& info, bool with_link, int lines) {
  text_in(ui, take_left(line, heading_width(ui, info), ui.px(8)), Type::title15, ui.colors.text, heading_of(ui, info));
  if (with_link) {
    Rect link = take_right(line, how_link_width(ui), ui.px(12));
    guide_link(ui, link, kHowLink, info);
  }
  if (!is_said(ui, info)) return;
  const ViewFinding finding = spoken_finding(ui);
  // Longer than the lines: the whole of it is read while the mouse rests there.
  if (words_width(ui, finding.sentence) > line.width() * static_cast<float>(lines)) {
    interact(ui, "view_head/finding", line, {true, false, finding.sentence.c_str()}, false);
  }
  draw_sentence(ui, line, lines == 1 ? whole_sentences(ui, finding, line.width()) : finding, lines);
}

// The view whose finding has two lines, in a head of this width.
struct HighHead {
  std::optional<MainView> view;
  float width = 0;
};

}  // namespace

void say_finding(Ui& ui, MainView view, std::string sentence, std::string heading, std::vector<FindingLink> links) {
  ViewFinding& finding = ui.state.panels.get<ViewFinding>();
  finding.of = view;
  finding.sentence = std::move(sentence);
  finding.heading = std::move(heading);
  finding.links = std::move(links);
}

float second_line(Ui& ui, const Rect& head, const MainViewInfo& info) {
  HighHead& high = ui.state.panels.get<HighHead>();
  if (high.view != info.view || high.width != head.width()) high = {};
  if (!high.view && is_said(ui, info)) {
    float room = head.width() - 2 * ui.px(size::panel_padding) - heading_width(ui, info) - ui.px(8);
    if (head.height() <= ui.px(size::view_head_small)) room -= how_link_width(ui) + ui.px(12);
    if (words_width(ui, spoken_finding(ui).sentence) > room) high = {info.view, head.width()};
  }
  return high.view ? ui.px(kFindingLine) : 0;
}

void draw_view_head(Ui& ui, const Rect& area, float more, const MainViewInfo& info) {
  ui.mark("view_head", area);
  const float padding = ui.px(size::panel_padding);
  Rect line{{area.min.x + padding, area.min.y}, {area.max.x - padding, area.max.y}};
  const bool two = area.height() - more > ui.px(size::view_head_small);
  line.max.y = two ? area.min.y + ui.px(38) : area.max.y - more;
  draw_finding(ui, line, info, !two, more > 0 ? 2 : 1);
  if (two) {
    Rect second{{line.min.x, area.min.y + more + ui.px(34)}, {line.max.x, area.min.y + more + ui.px(58)}};
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

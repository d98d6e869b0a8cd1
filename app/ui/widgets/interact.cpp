// Which control is under the mouse and which has the keyboard: every control calls this once a frame.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/shown_name.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/term_tips.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

constexpr double kTooltipDelay = 0.4;

bool visible_at(ImVec2 p) {
  const ImVec2 low = canvas().GetClipRectMin(), high = canvas().GetClipRectMax();
  return p.x >= low.x && p.y >= low.y && p.x < high.x && p.y < high.y;
}

// A control that got the focus by key is scrolled into its area.
void reveal(Ui& ui, const Rect& rect) {
  ui.state.reveal_focus = false;
  for (const UiState::ScrollFrame& frame : ui.state.scrolls) {
    double& offset = ui.state.panels.get<ScrollOffsets>().down[frame.name];
    const float margin = ui.px(8);
    if (rect.min.y < frame.rect.min.y + margin) offset -= frame.rect.min.y + margin - rect.min.y;
    if (rect.max.y > frame.rect.max.y - margin) offset += rect.max.y - (frame.rect.max.y - margin);
    const double most = std::max(0.0f, frame.content_height - frame.rect.height());
    offset = std::clamp(offset, 0.0, most);
    ui.state.wants_frame = true;
  }
}

}  // namespace

bool Ui::take_key(KeyName key, bool ctrl, bool shift, bool alt) {
  if (!on_top()) return false;
  for (auto it = input.keys.begin(); it != input.keys.end(); ++it) {
    if (it->key == key && it->ctrl == ctrl && it->shift == shift && it->alt == alt) {
      input.keys.erase(it);
      return true;
    }
  }
  return false;
}

bool mouse_over(const Ui& ui, const Rect& rect) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ui.on_top() || !rect.contains(mouse) || !visible_at(mouse)) return false;
  return ui.layer > 0 || std::none_of(ui.state.covered.begin(), ui.state.covered.end(),
                                      [&](const Rect& above) { return above.contains(mouse); });
}

namespace {

// Shows words that are in the window's language already.
void show_tooltip(Ui& ui, const Rect& rect, const std::string& sentence);

// Joins the control's own tooltip and the glossary's sentence on the term that it stands for.
std::string tooltip_words(Ui& ui, const std::string& name, const ControlState& state) {
  std::string words(state.tooltip != nullptr ? said(ui, state.tooltip) : std::string_view());
  const TermTips* terms = ui.state.panels.find<TermTips>();
  const std::string term = terms != nullptr && terms->sentence_of != nullptr ? terms->sentence_of(ui, name) : "";
  if (!words.empty() && !term.empty()) words += ' ';
  return words + term;
}

}  // namespace

Interaction interact_mouse(Ui& ui, const std::string& name, const Rect& rect, const ControlState& state,
                           bool takes_focus) {
  ui.mark(name, rect);
  Interaction result;
  if (!ui.on_top()) return result;
  UiState& s = ui.state;
  const ImGuiIO& io = ImGui::GetIO();
  const bool inside = mouse_over(ui, rect);
  if (takes_focus && state.enabled) {
    s.next_tab_order.push_back(name);
    result.focused = s.focus == name;
    if (result.focused && s.reveal_focus) reveal(ui, rect);
  }
  if (inside && (s.active.empty() || s.active == name)) {
    s.next_hovered = name;
    const std::string words = tooltip_words(ui, name, state);
    if (!words.empty() && s.active.empty() && s.tooltip_off != name) {
      if (s.hovered != name) {
        ui.wake_in(kTooltipDelay);
      } else if (s.time - s.hovered_since >= kTooltipDelay) {
        show_tooltip(ui, rect, words);
      } else {
        ui.wake_in(kTooltipDelay - (s.time - s.hovered_since));
      }
    }
  }
  if (!state.enabled) return result;
  result.hovered = inside && (s.active.empty() || s.active == name);
  if (result.hovered && io.MouseClicked[0]) {
    s.active = name;
    result.double_clicked = io.MouseClickedCount[0] == 2;
    if (takes_focus) {
      s.focus = name;
      s.focus_by_keyboard = false;
      result.focused = true;
    }
  }
  if (result.hovered && io.MouseClicked[1]) result.right_clicked = true;
  if (s.active == name) {
    result.held = io.MouseDown[0];
    result.clicked = io.MouseReleased[0] && inside;
  }
  return result;
}

Interaction interact(Ui& ui, const std::string& name, const Rect& rect, const ControlState& state, bool takes_focus) {
  Interaction result = interact_mouse(ui, name, rect, state, takes_focus);
  if (result.focused && state.enabled) {
    if (ui.take_key(KeyName::enter) || ui.take_key(KeyName::space)) {
      result.clicked = true;
      ui.state.focus_by_keyboard = true;
      // Space arrives as a character too.
      std::erase(ui.input.characters, U' ');
    }
  }
  return result;
}

void focus_ring(Ui& ui, const Rect& rect, float radius) {
  outline(ui, inset(rect, -ui.px(3)), ui.colors.accent, 2, radius + ui.px(2));
}

void tooltip(Ui& ui, const Rect& rect, const char* sentence) {
  if (sentence != nullptr && *sentence != '\0') show_tooltip(ui, rect, std::string(said(ui, sentence)));
}

namespace {

void show_tooltip(Ui& ui, const Rect& rect, const std::string& sentence) {
  ui.overlays.push_back([rect, words = sentence](Ui& over) {
    const float padding = over.px(8);
    const float most = over.px(300);
    const float width = std::min(most, std::ceil(text_width(over, Type::words12, given(words))));
    // Measured by drawing outside of the screen first would cost a pass: count the lines instead.
    float lines = 1, x = 0;
    for (std::size_t at = 0; at < words.size();) {
      std::size_t end = words.find(' ', at);
      if (end == std::string::npos) end = words.size();
      const float w = text_width(over, Type::words12, given(words.substr(at, end - at + 1)));
      if (x > 0 && x + w - over.px(3) > width) {
        ++lines;
        x = 0;
      }
      x += w;
      at = end + 1;
    }
    const float pitch = std::round(over.fonts.pixels[static_cast<int>(Type::words12)] * 1.15f);
    const ImVec2 size{width + 2 * padding, lines * pitch + 2 * padding - over.px(4)};
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImVec2 at{rect.min.x, rect.max.y + over.px(6)};
    if (at.y + size.y > screen.y) at.y = rect.min.y - over.px(6) - size.y;
    at.x = std::max(over.px(4), std::min(at.x, screen.x - size.x - over.px(4)));
    at.y = std::max(over.px(4), at.y);
    const Rect box{at, {at.x + size.x, at.y + size.y}};
    fill(box, over.colors.raised, over.px(size::radius_control));
    outline(over, box, over.colors.edge, 1, over.px(size::radius_control));
    Rect inner{{box.min.x + padding, box.min.y + padding - over.px(2)}, {box.max.x - padding + over.px(3), box.max.y}};
    paragraph(over, inner, Type::words12, over.colors.text, given(words));
  });
}

}  // namespace

std::string text_on_screen(const Session& session, const UiState& state) {
  return state.settled_text.empty() ? all_text(session, state) : state.settled_text;
}

// Of one text. What only stands further behind is drawn as small pictures.
constexpr std::size_t kMostInAtlas = std::size_t{1} << 16;

std::string all_text(const Session& session, const UiState& state) {
  std::string all(beginning_of(session.draft.phrase, kMostInAtlas));
  const auto add = [&](const std::string& text) {
    all += ' ';
    all += beginning_of(text, kMostInAtlas);
  };
  if (session.draft.second_phrase) add(*session.draft.second_phrase);
  if (session.draft.key_phrase) add(*session.draft.key_phrase);
  if (session.draft.decoder_phrase) add(*session.draft.decoder_phrase);
  if (const auto trace = session.trace()) {
    if (beginning_of(trace->request.phrase, kMostInAtlas) != beginning_of(session.draft.phrase, kMostInAtlas))
      add(trace->request.phrase);
    if (trace->request.key_phrase && trace->request.key_phrase != session.draft.key_phrase) {
      add(*trace->request.key_phrase);
    }
  }
  for (const auto& [name, edit] : state.edits) add(edit.buffer);
  std::string of_panels;
  state.panels.add_text(of_panels);
  add(of_panels);
  for (const Notice& notice : state.notices) add(notice.fact + ' ' + notice.advice + ' ' + notice.button);
  add(session.document.title);
  return all;
}

}  // namespace headscope::ui

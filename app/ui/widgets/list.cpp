// The open list of a combo, menu or context menu: one at a time, over everything, with its own keys.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/list_beside.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

OpenListState& list_state(UiState& s, const std::string& name) {
  return s.panels.get<OpenLists>().by_name[name];
}

bool can_pick(const MenuLine& line) {
  return line.enabled;
}

// The next line that can be picked from `at` in direction `step`, or `at`.
int next_line(const std::vector<MenuLine>& lines, int at, int step) {
  for (int i = at + step; i >= 0 && i < static_cast<int>(lines.size()); i += step) {
    if (can_pick(lines[static_cast<std::size_t>(i)])) return i;
  }
  return at;
}

void close_list(Ui& ui) {
  ui.state.open_combo.clear();
}

void pick(Ui& ui, const std::string& name, int index) {
  ui.state.chosen[name] = index;
  close_list(ui);
  ui.state.wants_frame = true;
}

constexpr float kWidestMenu = 560;

struct ListPlace {
  Rect box;
  float line_height = 0, content = 0;
};

ListPlace place_list(Ui& ui, const Rect& anchor, const std::vector<MenuLine>& lines, Type type, float width) {
  ListPlace place;
  place.line_height = ui.px(26);
  float words = 0, dividers = 0;
  for (const MenuLine& line : lines) {
    const float right = line.right.empty() ? 0 : text_width(ui, Type::mono11, line.right) + ui.px(24);
    const float arrow = line.inner.empty() ? 0 : ui.px(16);
    words = std::max(words, text_width(ui, type, line.words()) + right + arrow);
    if (line.divider_above) dividers += ui.px(7);
  }
  place.content = place.line_height * static_cast<float>(lines.size()) + dividers;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float needed = std::ceil(words) + ui.px(44);
  // Names of files may be of any length, and are cut; the menu's own words never are.
  const float w = width > 0 ? std::max(width, std::min(needed, ui.px(kWidestMenu))) : std::max(anchor.width(), needed);
  const float margin = ui.px(4);
  float h = place.content + 2 * margin;
  const float below = screen.y - anchor.max.y - 2 * margin, above = anchor.min.y - 2 * margin;
  const bool down = h <= below || below >= above;
  h = std::min(h, std::max(place.line_height * 2, down ? below : above));
  const float x = std::max(margin, std::min(anchor.min.x, screen.x - w - margin));
  const float y = down ? anchor.max.y + margin : anchor.min.y - margin - h;
  place.box = {{std::round(x), std::round(y)}, {std::round(x + w), std::round(y + h)}};
  return place;
}

// What is asked of the open list.
struct OpenList {
  std::string name;
  Rect anchor;
  std::vector<MenuLine> lines;
  int selected = -1;
  Type type = Type::words12;
  float width = 0;  // pixels; 0: as wide as needed, at least as the anchor

  int count() const { return static_cast<int>(lines.size()); }
  const MenuLine& line(int i) const { return lines[static_cast<std::size_t>(i)]; }
  bool has_inner(int i) const { return i >= 0 && !line(i).inner.empty(); }
};

// What the open list goes through in one frame.
struct ListFrame {
  bool just_opened = false;
  bool inner_open = false, inner_opened_now = false;  // the list beside the marked line
  bool enter = false;                                 // Enter or Space was pressed
  bool moved_by_key = false;                          // the marked line then scrolls into view
  int at = -1;                                        // the marked line
  int picked = -1;                                    // the line that was clicked
  Rect marked_line;
};

// Goes on from the last frame; a list that has just opened starts at its selected line.
ListFrame begin_frame(UiState& s, const OpenList& list) {
  ListFrame frame;
  OpenListState& state = list_state(s, list.name);
  frame.just_opened = !state.open;
  if (frame.just_opened) {
    state.open = true;
    state.at = list.selected;
    state.scroll = 0;
    state.inner = InnerList::none;
  }
  frame.inner_open = state.inner == InnerList::open;
  frame.at = std::clamp(state.at, -1, list.count() - 1);
  return frame;
}

// Enter, Space and Right open the list beside the marked line, Left and Esc close it.
void take_inner_keys(Ui& ui, const OpenList& list, ListFrame& frame) {
  frame.enter = ui.take_key(KeyName::enter) || ui.take_key(KeyName::space);
  if (!frame.inner_open && list.has_inner(frame.at) && (frame.enter || ui.take_key(KeyName::right))) {
    frame.inner_open = frame.inner_opened_now = true;
    list_state(ui.state, list.name).inner_at = 0;
  } else if (frame.inner_open && (ui.take_key(KeyName::left) || ui.take_key(KeyName::escape))) {
    frame.inner_open = false;
  }
}

// The next line behind `at`, around the end, that can be picked and begins with the typed letter; else `at`.
int line_of_letter(Ui& ui, const OpenList& list, int at, char32_t typed) {
  if (typed <= ' ' || typed >= 0x7F) return at;
  for (int k = 1; k <= list.count(); ++k) {
    const int i = (std::max(at, -1) + k) % list.count();
    const std::string_view label = said(ui, list.line(i).words());
    if (can_pick(list.line(i)) && !label.empty() &&
        std::tolower(static_cast<unsigned char>(label[0])) == std::tolower(static_cast<int>(typed))) {
      return i;
    }
  }
  return at;
}

// Up, Down, Home, End and letters move the mark. Keys are those of the inner list while it is open.
void take_line_keys(Ui& ui, const OpenList& list, ListFrame& frame) {
  int& at = frame.at;
  const int before = at;
  const std::vector<KeyEvent> all_keys = ui.input.keys;
  if (frame.inner_open) ui.input.keys.clear();
  if (ui.take_key(KeyName::down)) at = next_line(list.lines, at, 1);
  if (ui.take_key(KeyName::up)) at = next_line(list.lines, at < 0 ? list.count() : at, -1);
  if (ui.take_key(KeyName::home)) at = next_line(list.lines, -1, 1);
  if (ui.take_key(KeyName::end)) at = next_line(list.lines, list.count(), -1);
  for (const char32_t typed : ui.input.characters) at = line_of_letter(ui, list, at, typed);
  ui.input.characters.clear();
  if (frame.inner_open) ui.input.keys = all_keys;
  frame.moved_by_key = frame.just_opened || at != before;
}

// The mouse over the line marks it and opens the list beside it; a click picks it.
void take_mouse(Ui& ui, const OpenList& list, int i, const Rect& cell, ListFrame& frame) {
  const MenuLine& line = list.line(i);
  const ImGuiIO& io = ImGui::GetIO();
  const bool mouse_moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  const Interaction it = interact_mouse(ui, list.name + "/" + line.label, cell, {line.enabled, false, nullptr}, false);
  if (it.hovered && (mouse_moved || io.MouseClicked[0])) {
    if (frame.at != i) list_state(ui.state, list.name).inner_at = -1;
    frame.at = i;
    frame.inner_open = !line.inner.empty();
  }
  if (it.clicked && line.inner.empty()) frame.picked = i;
  if (i == frame.at) frame.marked_line = cell;
}

// The check, the words, the fact at the right and the arrow of a line.
void draw_line(Ui& ui, const MenuLine& line, bool checked, Type type, const Rect& cell) {
  const Palette& c = ui.colors;
  if (checked) draw_icon(ui, Icon::check, {cell.min.x + ui.px(11), std::round(cell.center().y)}, ui.px(10), c.accent);
  Rect words{{cell.min.x + ui.px(22), cell.min.y}, {cell.max.x - ui.px(8), cell.max.y}};
  if (!line.inner.empty()) {
    draw_icon(ui, Icon::chevron_right, {words.max.x - ui.px(4), std::round(cell.center().y)}, ui.px(8), c.text2);
  }
  if (!line.right.empty()) {
    text_in(ui, take_right(words, std::ceil(text_width(ui, Type::mono11, line.right)), ui.px(8)), Type::mono11,
            line.enabled ? c.text2 : c.text3, line.right, 1);
  }
  text_in(ui, words, type, line.enabled ? c.text : c.text3, line.words());
}

void scroll_into(Ui& ui, const Rect& cell, const Rect& visible, double& scroll) {
  if (cell.min.y < visible.min.y) scroll -= static_cast<double>(visible.min.y - cell.min.y);
  if (cell.max.y > visible.max.y) scroll += static_cast<double>(cell.max.y - visible.max.y);
  if (cell.min.y < visible.min.y || cell.max.y > visible.max.y) ui.state.wants_frame = true;
}

void draw_lines(Ui& ui, const OpenList& list, const ListPlace& place, ListFrame& frame) {
  const Palette& c = ui.colors;
  const Rect& box = place.box;
  const float margin = ui.px(4);
  const Rect inner{{box.min.x, box.min.y + margin}, {box.max.x, box.max.y - margin}};
  const float most = std::max(0.0f, place.content - inner.height());
  double& scroll = list_state(ui.state, list.name).scroll;
  const ImGuiIO& io = ImGui::GetIO();
  if (box.contains(io.MousePos) && io.MouseWheel != 0)
    scroll -= static_cast<double>(io.MouseWheel * place.line_height * 2);
  scroll = std::clamp(scroll, 0.0, static_cast<double>(most));
  canvas().PushClipRect(inner.min, inner.max, true);
  float y = inner.min.y - std::round(static_cast<float>(scroll));
  for (int i = 0; i < list.count(); ++i) {
    const MenuLine& line = list.line(i);
    if (line.divider_above) {
      horizontal_line(ui, box.min.x, box.max.x, y + ui.px(3), c.line);
      y += ui.px(7);
    }
    const Rect cell{{box.min.x + margin, y}, {box.max.x - margin, y + place.line_height}};
    y += place.line_height;
    take_mouse(ui, list, i, cell, frame);
    if (i == frame.at && line.enabled) {
      fill(cell, mix(c.hover, c.accent, 0.10f), ui.px(size::radius_inner));
      if (frame.moved_by_key) scroll_into(ui, cell, inner, scroll);
    }
    if (line.checked) ui.mark(list.name + "/" + line.label + "/ticked", cell);
    draw_line(ui, line, line.checked || i == list.selected, list.type, cell);
  }
  canvas().PopClipRect();
}

// Draws the list beside the marked line where it is open. True: it has taken this frame's pick or the mouse.
bool draw_list_aside(Ui& ui, const OpenList& list, const Rect& box, const ListFrame& frame) {
  InnerList& inner = list_state(ui.state, list.name).inner;
  if (!frame.inner_open || !list.has_inner(frame.at)) {
    inner = list.has_inner(frame.at) ? InnerList::closed : InnerList::none;
    return false;
  }
  const MenuLine& opened = list.line(frame.at);
  const BesideFrame beside = draw_list_beside(
      ui, {list.name, opened, box, frame.marked_line, list.type, frame.enter && !frame.inner_opened_now});
  inner = InnerList::open;
  if (beside.picked >= 0) pick(ui, list.name + "/" + opened.label, beside.picked);
  return beside.picked >= 0 || beside.box.contains(ImGui::GetIO().MousePos);
}

void draw_list(Ui& ui, const OpenList& list) {
  UiState& s = ui.state;
  const ListPlace place = place_list(ui, list.anchor, list.lines, list.type, list.width);
  const Rect& box = place.box;
  ListFrame frame = begin_frame(s, list);
  take_inner_keys(ui, list, frame);
  take_line_keys(ui, list, frame);
  fill(box, ui.colors.raised, ui.px(size::radius_field));
  outline(ui, box, ui.colors.edge, 1, ui.px(size::radius_field));
  draw_lines(ui, list, place, frame);
  list_state(s, list.name).at = frame.at;
  if (draw_list_aside(ui, list, box, frame)) return;
  if (frame.enter && frame.at >= 0 && !list.has_inner(frame.at) && can_pick(list.line(frame.at))) {
    frame.picked = frame.at;
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (frame.picked >= 0) {
    pick(ui, list.name, frame.picked);
  } else if (ui.take_key(KeyName::escape) || ui.take_key(KeyName::tab) ||
             (!frame.just_opened && (io.MouseClicked[0] || io.MouseClicked[1]) && !box.contains(io.MousePos))) {
    close_list(ui);
    s.wants_frame = true;
  }
}

void show(Ui& ui, OpenList list) {
  ui.state.list_shown = true;
  ui.overlays.push_back([shown = std::move(list)](Ui& over) { draw_list(over, shown); });
}

}  // namespace

void show_list(Ui& ui, const std::string& name, const Rect& anchor, std::vector<MenuLine> lines, int selected,
               Type type) {
  show(ui, {name, anchor, std::move(lines), selected, type, 0});
}

void show_menu(Ui& ui, const std::string& name, const Rect& anchor, std::vector<MenuLine> lines, float width) {
  show(ui, {name, anchor, std::move(lines), -1, Type::words12, width});
}

ListAside list_aside(const Ui& ui, const std::string& name) {
  const OpenLists* lists = ui.state.panels.find<OpenLists>();
  if (ui.state.open_combo != name || lists == nullptr) return {};
  const auto found = lists->by_name.find(name);
  if (found == lists->by_name.end()) return {};
  return {found->second.inner != InnerList::none, found->second.inner == InnerList::open};
}

int take_chosen(Ui& ui, const std::string& name) {
  if (ui.state.open_combo != name) list_state(ui.state, name).open = false;
  const auto found = ui.state.chosen.find(name);
  if (found == ui.state.chosen.end()) return -1;
  const int index = found->second;
  ui.state.chosen.erase(found);
  return index;
}

}  // namespace headscope::ui

// The open list of a combo, menu or context menu: one at a time, over everything, with its own keys.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/ui/widgets/control_box.h"

namespace headscope::ui {

namespace {

// Of the list beside the line that is marked, in UiState::number by the name of the list: whether it is open (and, as
// 2, whether it could be), the marked line in it.
constexpr const char* kInner = "/inner";
constexpr const char* kInnerAt = "/inner_at";

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
    words = std::max(words, text_width(ui, type, line.label) + right);
    if (line.divider_above) dividers += ui.px(7);
  }
  place.content = place.line_height * static_cast<float>(lines.size()) + dividers;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float w = width > 0 ? width : std::max(anchor.width(), std::ceil(words) + ui.px(44));
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

// The list beside the line that lies at `line`: its box, and the index that was picked in it or -1.
int draw_inner_list(Ui& ui, const std::string& name, const MenuLine& opened, const Rect& outer, const Rect& line,
                    Type type, bool enter, Rect& box) {
  const Palette& c = ui.colors;
  const float margin = ui.px(4), line_height = ui.px(26);
  const int count = static_cast<int>(opened.inner.size());
  float width = 0;
  for (const std::string& label : opened.inner) width = std::max(width, text_width(ui, type, label));
  width = std::ceil(width) + ui.px(36);
  const float height = line_height * static_cast<float>(count) + 2 * margin;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float x = outer.max.x + width <= screen.x ? outer.max.x : std::max(0.0f, outer.min.x - width);
  const float y = std::max(0.0f, std::min(line.min.y - margin, screen.y - height));
  box = {{x, y}, {x + width, y + height}};
  fill(box, c.raised, ui.px(size::radius_field));
  outline(ui, box, c.edge, 1, ui.px(size::radius_field));
  double& at = ui.state.number[name + kInnerAt];
  if (ui.take_key(KeyName::down)) at = std::min(at + 1, count - 1.0);
  if (ui.take_key(KeyName::up)) at = std::max(at - 1, 0.0);
  if (ui.take_key(KeyName::home)) at = 0;
  if (ui.take_key(KeyName::end)) at = count - 1;
  const ImGuiIO& io = ImGui::GetIO();
  int picked = -1;
  for (int i = 0; i < count; ++i) {
    const std::string& label = opened.inner[static_cast<std::size_t>(i)];
    const float top = box.min.y + margin + static_cast<float>(i) * line_height;
    const Rect cell{{box.min.x + margin, top}, {box.max.x - margin, top + line_height}};
    const Interaction it = interact_mouse(ui, name + "/" + opened.label + "/" + label, cell, {}, false);
    if (it.hovered && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseClicked[0])) at = i;
    if (it.clicked) picked = i;
    if (i == static_cast<int>(at)) fill(cell, mix(c.hover, c.accent, 0.10f), ui.px(size::radius_inner));
    text_in(ui, {{cell.min.x + ui.px(14), cell.min.y}, cell.max}, type, c.text, label);
  }
  return enter && at >= 0 ? static_cast<int>(at) : picked;
}

void draw_list(Ui& ui, const std::string& name, const Rect& anchor, const std::vector<MenuLine>& lines, int selected,
               Type type, float width) {
  UiState& s = ui.state;
  const Palette& c = ui.colors;
  const ListPlace place = place_list(ui, anchor, lines, type, width);
  const Rect& box = place.box;
  const float radius = ui.px(size::radius_field), margin = ui.px(4);
  double& at_number = s.number[name + "/at"];
  double& scroll = s.number[name + "/scroll"];
  const bool just_opened = s.number.try_emplace(name + "/open", 0).second || s.number[name + "/open"] == 0;
  if (just_opened) {
    s.number[name + "/open"] = 1;
    at_number = selected;
    scroll = 0;
    s.number[name + kInner] = 0;
  }
  bool inner_open = s.number[name + kInner] == 1;
  int at = std::clamp(static_cast<int>(at_number), -1, static_cast<int>(lines.size()) - 1);
  bool moved_by_key = just_opened;
  const int before = at;
  const bool enter = ui.take_key(KeyName::enter) || ui.take_key(KeyName::space);
  const auto has_inner = [&] { return at >= 0 && !lines[static_cast<std::size_t>(at)].inner.empty(); };
  bool opened_now = false;
  if (!inner_open && has_inner() && (enter || ui.take_key(KeyName::right))) {
    inner_open = opened_now = true;
    s.number[name + kInnerAt] = 0;
  } else if (inner_open && (ui.take_key(KeyName::left) || ui.take_key(KeyName::escape))) {
    inner_open = false;
  }
  // Keys up and down are those of the inner list while it is open.
  const std::vector<KeyEvent> all_keys = ui.input.keys;
  if (inner_open) ui.input.keys.clear();
  if (ui.take_key(KeyName::down)) at = next_line(lines, at, 1);
  if (ui.take_key(KeyName::up)) at = next_line(lines, at < 0 ? static_cast<int>(lines.size()) : at, -1);
  if (ui.take_key(KeyName::home)) at = next_line(lines, -1, 1);
  if (ui.take_key(KeyName::end)) at = next_line(lines, static_cast<int>(lines.size()), -1);
  for (const char32_t typed : ui.input.characters) {
    if (typed <= ' ' || typed >= 0x7F) continue;
    const int count = static_cast<int>(lines.size());
    for (int k = 1; k <= count; ++k) {
      const int i = (std::max(at, -1) + k) % count;
      const MenuLine& line = lines[static_cast<std::size_t>(i)];
      if (can_pick(line) && !line.label.empty() &&
          std::tolower(static_cast<unsigned char>(line.label[0])) == std::tolower(static_cast<int>(typed))) {
        at = i;
        break;
      }
    }
  }
  ui.input.characters.clear();
  if (inner_open) ui.input.keys = all_keys;
  moved_by_key = moved_by_key || at != before;

  fill(box, c.raised, radius);
  outline(ui, box, c.edge, 1, radius);
  const Rect inner{{box.min.x, box.min.y + margin}, {box.max.x, box.max.y - margin}};
  const float most = std::max(0.0f, place.content - inner.height());
  const ImGuiIO& io = ImGui::GetIO();
  if (box.contains(io.MousePos) && io.MouseWheel != 0)
    scroll -= static_cast<double>(io.MouseWheel * place.line_height * 2);
  scroll = std::clamp(scroll, 0.0, static_cast<double>(most));
  canvas().PushClipRect(inner.min, inner.max, true);
  float y = inner.min.y - std::round(static_cast<float>(scroll));
  const bool mouse_moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  int picked = -1;
  Rect marked_line;
  for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
    const MenuLine& line = lines[static_cast<std::size_t>(i)];
    if (line.divider_above) {
      horizontal_line(ui, box.min.x, box.max.x, y + ui.px(3), c.line);
      y += ui.px(7);
    }
    const Rect cell{{box.min.x + margin, y}, {box.max.x - margin, y + place.line_height}};
    y += place.line_height;
    const Interaction it = interact_mouse(ui, name + "/" + line.label, cell, {line.enabled, false, nullptr}, false);
    if (it.hovered && (mouse_moved || io.MouseClicked[0])) {
      if (at != i) s.number[name + kInnerAt] = -1;
      at = i;
      inner_open = !line.inner.empty();
    }
    if (it.clicked && line.inner.empty()) picked = i;
    if (i == at) marked_line = cell;
    if (i == at && line.enabled) {
      fill(cell, mix(c.hover, c.accent, 0.10f), ui.px(size::radius_inner));
      if (moved_by_key) {
        if (cell.min.y < inner.min.y) scroll -= static_cast<double>(inner.min.y - cell.min.y);
        if (cell.max.y > inner.max.y) scroll += static_cast<double>(cell.max.y - inner.max.y);
        if (cell.min.y < inner.min.y || cell.max.y > inner.max.y) s.wants_frame = true;
      }
    }
    const Rgba ink = line.enabled ? c.text : c.text3;
    if (line.checked || i == selected) {
      draw_icon(ui, Icon::check, {cell.min.x + ui.px(11), std::round(cell.center().y)}, ui.px(10), c.accent);
    }
    Rect words{{cell.min.x + ui.px(22), cell.min.y}, {cell.max.x - ui.px(8), cell.max.y}};
    if (!line.inner.empty()) {
      draw_icon(ui, Icon::chevron_right, {words.max.x - ui.px(4), std::round(cell.center().y)}, ui.px(8), c.text2);
    }
    if (!line.right.empty()) {
      text_in(ui, take_right(words, std::ceil(text_width(ui, Type::mono11, line.right)), ui.px(8)), Type::mono11,
              line.enabled ? c.text2 : c.text3, line.right, 1);
    }
    text_in(ui, words, type, ink, line.label);
  }
  canvas().PopClipRect();
  at_number = at;
  if (inner_open && has_inner()) {
    const MenuLine& opened = lines[static_cast<std::size_t>(at)];
    Rect inner_box;
    const int inside = draw_inner_list(ui, name, opened, box, marked_line, type, enter && !opened_now, inner_box);
    s.number[name + kInner] = 1;
    if (inside >= 0) return pick(ui, name + "/" + opened.label, inside);
    if (inner_box.contains(io.MousePos)) return;
  } else {
    s.number[name + kInner] = has_inner() ? 2 : 0;
  }
  if (enter && !has_inner() && at >= 0 && can_pick(lines[static_cast<std::size_t>(at)])) picked = at;
  if (picked >= 0) {
    pick(ui, name, picked);
  } else if (ui.take_key(KeyName::escape) || ui.take_key(KeyName::tab) ||
             (!just_opened && (io.MouseClicked[0] || io.MouseClicked[1]) && !box.contains(io.MousePos))) {
    close_list(ui);
    s.wants_frame = true;
  }
}

}  // namespace

void show_list(Ui& ui, const std::string& name, const Rect& anchor, std::vector<MenuLine> lines, int selected,
               Type type, float width) {
  ui.state.list_shown = true;
  ui.overlays.push_back([name, anchor, moved = std::move(lines), selected, type, width](Ui& over) {
    draw_list(over, name, anchor, moved, selected, type, width);
  });
}

ListAside list_aside(const Ui& ui, const std::string& name) {
  const auto found = ui.state.number.find(name + kInner);
  if (ui.state.open_combo != name || found == ui.state.number.end()) return {};
  return {found->second != 0, found->second == 1};
}

int take_chosen(Ui& ui, const std::string& name) {
  if (ui.state.open_combo != name) ui.state.number.erase(name + "/open");
  const auto found = ui.state.chosen.find(name);
  if (found == ui.state.chosen.end()) return -1;
  const int index = found->second;
  ui.state.chosen.erase(found);
  return index;
}

bool combo_head(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
                const ControlState& state, Type type) {
  const Interaction it = interact(ui, name, rect, state);
  const bool open = ui.state.open_combo == name;
  const Palette& c = ui.colors;
  control_box(ui, rect, state, it, false);
  if (open) outline(ui, rect, c.accent, 2, ui.px(size::radius_control));
  const int count = static_cast<int>(items.size());
  const std::string shown = selected >= 0 && selected < count ? items[static_cast<std::size_t>(selected)] : "";
  const Rect words{{rect.min.x + ui.px(8), rect.min.y}, {rect.max.x - ui.px(18), rect.max.y}};
  text_in(ui, words, type, state.enabled ? c.text : c.text3, shown);
  draw_icon(ui, Icon::chevron_down, {rect.max.x - ui.px(12), std::round(rect.center().y)}, ui.px(8),
            !state.enabled ? c.text3
            : it.hovered   ? c.text
                           : c.text2);
  bool opens = it.clicked;
  const int before = selected;
  if (it.focused && state.enabled) {
    // Arrows walk without opening; Alt+Down opens.
    while (ui.take_key(KeyName::down)) selected = std::min(count - 1, selected + 1);
    while (ui.take_key(KeyName::up)) selected = std::max(0, selected - 1);
    opens = opens || ui.take_key(KeyName::down, false, false, true);
  }
  if (opens && count > 0) ui.state.open_combo = name;
  return selected != before;
}

bool combo(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
           const ControlState& state, Type type) {
  const int picked = take_chosen(ui, name);
  bool changed = combo_head(ui, name, rect, items, selected, state, type);
  if (ui.state.open_combo == name) {
    std::vector<MenuLine> lines;
    for (const std::string& item : items) lines.push_back({item, "", true, false, false});
    show_list(ui, name, rect, std::move(lines), selected, type);
  }
  if (picked >= 0 && picked < static_cast<int>(items.size()) && picked != selected) {
    selected = picked;
    changed = true;
  }
  return changed;
}

}  // namespace headscope::ui

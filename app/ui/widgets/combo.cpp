// The combo: a box that shows the chosen item, walks with the arrows, and opens a list.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/widgets/control_box.h"

namespace headscope::ui {

bool combo_head(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
                const ComboLook& look) {
  const ControlState& state = look.state;
  const Interaction it = interact(ui, name, rect, state);
  const bool open = ui.state.open_combo == name;
  const Palette& c = ui.colors;
  control_box(ui, rect, state, it, false);
  if (open) outline(ui, rect, c.accent, 2, ui.px(size::radius_control));
  const int count = static_cast<int>(items.size());
  const std::string shown = selected >= 0 && selected < count ? items[static_cast<std::size_t>(selected)] : "";
  const Rect words{{rect.min.x + ui.px(8), rect.min.y}, {rect.max.x - ui.px(18), rect.max.y}};
  text_in(ui, words, look.type, state.enabled ? c.text : c.text3, look.are_given ? given(shown) : Words(shown));
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
           const ComboLook& look) {
  const int picked = take_chosen(ui, name);
  bool changed = combo_head(ui, name, rect, items, selected, look);
  if (ui.state.open_combo == name) {
    std::vector<MenuLine> lines;
    for (const std::string& item : items) lines.push_back({item, "", true, false, false, look.are_given});
    show_list(ui, name, rect, std::move(lines), selected, look.type);
  }
  if (picked >= 0 && picked < static_cast<int>(items.size()) && picked != selected) {
    selected = picked;
    changed = true;
  }
  return changed;
}

}  // namespace headscope::ui

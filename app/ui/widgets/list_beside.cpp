#include "app/ui/widgets/list_beside.h"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/control_states.h"

namespace headscope::ui {

BesideFrame draw_list_beside(Ui& ui, const ListBeside& list) {
  const Palette& c = ui.colors;
  const float margin = ui.px(4), line_height = ui.px(26);
  const int count = static_cast<int>(list.opened.inner.size());
  float width = 0;
  for (const std::string& label : list.opened.inner) width = std::max(width, text_width(ui, list.type, label));
  width = std::ceil(width) + ui.px(36);
  const float height = line_height * static_cast<float>(count) + 2 * margin;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float x = list.outer.max.x + width <= screen.x ? list.outer.max.x : std::max(0.0f, list.outer.min.x - width);
  const float y = std::max(0.0f, std::min(list.line.min.y - margin, screen.y - height));
  const Rect box{{x, y}, {x + width, y + height}};
  fill(box, c.raised, ui.px(size::radius_field));
  outline(ui, box, c.edge, 1, ui.px(size::radius_field));
  int& at = ui.state.panels.get<OpenLists>().by_name[list.name].inner_at;
  if (ui.take_key(KeyName::down)) at = std::min(at + 1, count - 1);
  if (ui.take_key(KeyName::up)) at = std::max(at - 1, 0);
  if (ui.take_key(KeyName::home)) at = 0;
  if (ui.take_key(KeyName::end)) at = count - 1;
  const ImGuiIO& io = ImGui::GetIO();
  int picked = -1;
  for (int i = 0; i < count; ++i) {
    const std::string& label = list.opened.inner[static_cast<std::size_t>(i)];
    const float top = box.min.y + margin + static_cast<float>(i) * line_height;
    const Rect cell{{box.min.x + margin, top}, {box.max.x - margin, top + line_height}};
    const Interaction it = interact_mouse(ui, list.name + "/" + list.opened.label + "/" + label, cell, {}, false);
    if (it.hovered && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseClicked[0])) at = i;
    if (it.clicked) picked = i;
    if (i == at) fill(cell, mix(c.hover, c.accent, 0.10f), ui.px(size::radius_inner));
    text_in(ui, {{cell.min.x + ui.px(14), cell.min.y}, cell.max}, list.type, c.text, label);
  }
  return {box, list.enter && at >= 0 ? at : picked};
}

}  // namespace headscope::ui

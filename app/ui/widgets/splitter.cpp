#include "app/ui/widgets/splitter.h"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kStep = 8, kFarStep = 40;
constexpr const char* kTip =
    "Drag it, or move it with arrow keys (with Shift: far). A double click or Del sets its usual place.";

// The size that the keys of a focused border ask for.
float size_by_keys(Ui& ui, float size, const PanelBorder& border) {
  const KeyName more = border.vertical ? KeyName::right : KeyName::down;
  const KeyName less = border.vertical ? KeyName::left : KeyName::up;
  for (const bool far : {false, true}) {
    const float step = (far ? kFarStep : kStep) * border.direction;
    while (ui.take_key(more, false, far)) size += step;
    while (ui.take_key(less, false, far)) size -= step;
  }
  // The ends are those of the line, not of the size.
  const bool grows = border.direction > 0;
  if (ui.take_key(KeyName::home)) size = grows ? border.low : border.high;
  if (ui.take_key(KeyName::end)) size = grows ? border.high : border.low;
  if (ui.take_key(KeyName::del)) size = border.usual;
  return size;
}

void draw_line(Ui& ui, const Rect& rect, const PanelBorder& border, Rgba color) {
  const ImVec2 middle = rect.center();
  const float thick = ui.px(2);
  if (border.vertical) {
    fill({{std::floor(middle.x) - thick / 2, rect.min.y}, {std::floor(middle.x) + thick / 2, rect.max.y}}, color);
  } else {
    fill({{rect.min.x, std::floor(middle.y) - thick / 2}, {rect.max.x, std::floor(middle.y) + thick / 2}}, color);
  }
}

}  // namespace

bool panel_border(Ui& ui, const std::string& name, const Rect& rect, float& size, const PanelBorder& border) {
  const Interaction it = interact_mouse(ui, name, rect, {true, false, kTip});
  const bool by_key = it.focused && ui.state.focus_by_keyboard;
  if (!it.hovered && !it.held && !by_key) return false;
  if (it.hovered || it.held) {
    ImGui::SetMouseCursor(border.vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  }
  draw_line(ui, rect, border, it.held || by_key ? ui.colors.accent : ui.colors.edge);
  const auto set = [&](float wish) {
    const float next = std::round(std::clamp(wish, border.low, std::max(border.low, border.high)));
    const bool changed = next != size;
    size = next;
    return changed;
  };
  if (it.double_clicked) {
    // The usual place may be found anew in every window: it is not held to the limits.
    const bool changed = size != border.usual;
    size = border.usual;
    ui.state.active.clear();
    return changed;
  }
  if (it.focused) {
    const float wish = size_by_keys(ui, size, border);
    if (wish == border.usual && wish != size) {
      size = wish;
      return true;
    }
    if (wish != size) return set(wish);
  }
  if (!it.held) return false;
  // The grip keeps its distance to the mouse: the size at the press and the way since then.
  const ImGuiIO& io = ImGui::GetIO();
  SplitterPress& press = ui.state.panels.get<SplitterPresses>().by_name[name];
  const double mouse = static_cast<double>(border.vertical ? io.MousePos.x : io.MousePos.y);
  if (io.MouseClicked[0]) press = {mouse, static_cast<double>(size)};
  const double way = (mouse - press.mouse) / static_cast<double>(ui.scale) * static_cast<double>(border.direction);
  return way != 0 && set(static_cast<float>(press.size + way));
}

}  // namespace headscope::ui

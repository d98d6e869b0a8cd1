// Scrolling areas.
#include <algorithm>
#include <cmath>

#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

ScrollArea begin_scroll(Ui& ui, const std::string& name, const Rect& rect, float content_height) {
  UiState& s = ui.state;
  double& offset = s.panels.get<ScrollOffsets>().down[name];
  ImGuiIO& io = ImGui::GetIO();
  // What lies above it may take more than there is: then nothing is left of a small window.
  const float height = std::max(0.0f, rect.height());
  const double most = std::max(0.0f, content_height - height);
  if (most > 0) {
    const float reach = height * height / content_height;
    const float thumb = std::max(ui.px(24), reach);
    const Rect track{{rect.max.x - ui.px(8), rect.min.y}, rect.max};
    const Interaction it = interact_mouse(ui, name + "/scrollbar", track, {}, false);
    if (it.held && height > thumb) {
      offset = static_cast<double>((io.MousePos.y - rect.min.y - thumb / 2) / (height - thumb)) * most;
    }
    if (io.MouseWheel != 0 && mouse_over(ui, rect)) {
      offset -= static_cast<double>(io.MouseWheel * ui.px(48));
      io.MouseWheel = 0;
    }
    offset = std::clamp(std::round(offset), 0.0, most);
    const float top = rect.min.y + static_cast<float>(offset / most) * (height - thumb);
    const Rect bar{{rect.max.x - ui.px(6), std::round(top) + ui.px(2)},
                   {rect.max.x - ui.px(2), std::round(top + thumb) - ui.px(2)}};
    fill(bar, it.hovered || it.held ? ui.colors.text3 : ui.colors.hover, ui.px(2));
  } else {
    offset = 0;
  }
  s.scrolls.push_back({name, rect, content_height});
  canvas().PushClipRect(rect.min, rect.max, true);
  return {static_cast<float>(offset)};
}

void end_scroll(Ui& ui) {
  canvas().PopClipRect();
  ui.state.scrolls.pop_back();
}

float scroll_across(Ui& ui, const std::string& name, const AcrossScroll& scroll) {
  const Rect& bar = scroll.bar;
  double& offset = ui.state.panels.get<ScrollOffsets>().across[name];
  ImGuiIO& io = ImGui::GetIO();
  const double most = std::max(0.0f, std::ceil(scroll.content_width - scroll.width));
  if (most <= 0) return static_cast<float>(offset = 0);
  if (mouse_over(ui, scroll.over)) {
    const float turns = io.MouseWheelH + (ui.shift_held ? io.MouseWheel : 0);
    offset -= static_cast<double>(turns * scroll.step);
    if (turns != 0) io.MouseWheel = io.MouseWheelH = 0;
  }
  const Interaction it = interact_mouse(ui, name + "/bar", bar, {}, false);
  const float thumb = std::max(ui.px(24), bar.width() * scroll.width / scroll.content_width);
  if (it.held && bar.width() > thumb) {
    offset = static_cast<double>((io.MousePos.x - bar.min.x - thumb / 2) / (bar.width() - thumb)) * most;
  }
  offset = std::clamp(std::round(offset), 0.0, most);
  const float x = std::round(bar.min.x + static_cast<float>(offset / most) * (bar.width() - thumb));
  fill({{x, bar.min.y + ui.px(3)}, {x + thumb, bar.min.y + ui.px(7)}},
       it.hovered || it.held ? ui.colors.text3 : ui.colors.hover, ui.px(2));
  return static_cast<float>(offset);
}

}  // namespace headscope::ui

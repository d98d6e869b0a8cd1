#include "app/ui/mouse_input.h"

#include "app/ui/imgui_compat.h"

namespace headscope::ui {

void apply_mouse(const std::vector<MouseEvent>& events, bool& shift) {
  for (const MouseEvent& event : events) {
    shift = event.shift;
    switch (event.kind) {
      case MouseEvent::Kind::move:
        compat::set_mouse_position(event.x, event.y);
        break;
      case MouseEvent::Kind::button:
        compat::set_mouse_button(event.button, event.down);
        break;
      case MouseEvent::Kind::wheel:
        compat::add_mouse_wheel(event.x, event.y);
        break;
    }
  }
}

}  // namespace headscope::ui

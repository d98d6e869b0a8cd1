#include "app/ui/circuits/circuits_panel.h"

namespace headscope::ui {

std::string circuits_focus(const Ui&) {
  return kCircuitsMap;
}

void draw_circuits_panel(Ui& ui, const Rect& area) {
  ui.mark("circuits", area);
}

}  // namespace headscope::ui

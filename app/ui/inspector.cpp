#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

void draw_inspector(Ui& ui, const Rect& area) {
  panel_header(ui, area, "Inspector", "");
}

}  // namespace headscope::ui

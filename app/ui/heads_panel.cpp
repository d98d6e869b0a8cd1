#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

void draw_heads_panel(Ui& ui, const Rect& area) {
  panel_header(ui, area, "Heads", "");
}

}  // namespace headscope::ui

#include "app/ui/scatter/scatter_panel.h"

namespace headscope::ui {

void draw_scatter_panel(Ui& ui, const Rect& area) {
  ui.mark("scatter", area);
}

}  // namespace headscope::ui

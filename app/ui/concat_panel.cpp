#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

void draw_concat_panel(Ui& ui, const Rect& area) {
  panel_header(ui, area, "concat", "", -1, true);
}

}  // namespace headscope::ui

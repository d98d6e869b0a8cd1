#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

void draw_pipeline_strip(Ui& ui, const Rect& area) {
  panel_header(ui, area, "Pipeline", "");
}

}  // namespace headscope::ui

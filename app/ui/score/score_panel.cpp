#include "app/ui/score/score_panel.h"

namespace headscope::ui {

void draw_score_panel(Ui& ui, const Rect& area) {
  ui.mark("score", area);
}

}  // namespace headscope::ui

#include "app/ui/main_view.h"

#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/explain/follow.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/mask/mask_panel.h"
#include "app/ui/panels.h"
#include "app/ui/script/script_panel.h"
#include "app/ui/weights/weights_panel.h"

namespace headscope::ui {

MainView shown_main_view(const Ui& ui) {
  const MainView wanted = ui.session.view.main_view;
  switch (wanted) {
    case MainView::layer:
      break;
    case MainView::bug_lab:
      if (ui.session.trace() == nullptr) return MainView::layer;
      break;
    case MainView::layers:
      if (!has_layers(ui)) return MainView::layer;
      break;
    case MainView::follow:
      if (!can_follow(ui)) return MainView::layer;
      break;
    case MainView::script:
    case MainView::compare:
      break;
    case MainView::sensitivity:
      if (ui.session.trace() == nullptr) return MainView::layer;
      break;
    case MainView::weights:
      if (!has_weights(ui)) return MainView::layer;
      break;
    case MainView::mask:
      if (!has_mask_to_paint(ui)) return MainView::layer;
      break;
  }
  return wanted;
}

void toggle_main_view(Ui& ui, MainView main_view, const std::string& focus) {
  MainView& shown = ui.session.view.main_view;
  shown = shown == main_view ? MainView::layer : main_view;
  if (shown != main_view) return;
  ui.state.focus = focus;
  ui.state.focus_by_keyboard = true;
}

bool has_result(Ui& ui, const std::string& key) {
  if (ui.session.trace() == nullptr) {
    put_notice(ui.state,
               {Notice::Kind::info, "Nothing is computed yet.", "The view opens when there is a result.", key});
    return false;
  }
  std::erase_if(ui.state.notices, [&](const Notice& old) { return old.key == key; });
  return true;
}

void draw_main_view(Ui& ui, const Rect& area) {
  switch (shown_main_view(ui)) {
    case MainView::layer:
      break;
    case MainView::layers:
      return draw_layers_panel(ui, area);
    case MainView::follow:
      return draw_follow_panel(ui, area);
    case MainView::script:
      return draw_script_panel(ui, area);
    case MainView::bug_lab:
      return draw_bug_lab(ui, area);
    case MainView::mask:
      return draw_mask_panel(ui, area);
    case MainView::compare:
      return draw_compare_panel(ui, area);
    case MainView::sensitivity:
      return draw_sensitivity_panel(ui, area);
    case MainView::weights:
      return draw_weights_panel(ui, area);
  }
}

}  // namespace headscope::ui

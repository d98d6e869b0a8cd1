#include "app/ui/leaving.h"

#include "app/session/session.h"
#include "app/ui/guide/callout.h"
#include "app/ui/main_view.h"
#include "app/ui/panels.h"
#include "app/ui/phrase/phrase_suggestions.h"
#include "app/ui/phrase/wrapped_text.h"
#include "app/ui/request/request_facts.h"
#include "app/ui/request/request_panel.h"

namespace headscope::ui {

namespace {

// What opened below the phrase while it is typed: more of its lines, suggestions.
bool phrase_is_open(const Ui& ui) {
  const auto* wrapped = ui.state.panels.find<WrappedTexts>();
  if (suggests(ui.state)) return true;
  if (wrapped == nullptr || !ui.state.focus.ends_with("phrase")) return false;
  const auto text = wrapped->by_name.find(ui.state.focus);
  return text != wrapped->by_name.end() && text->second.begins.size() > 1;
}

}  // namespace

OnScreen on_screen_of(const Ui& ui, const Layout& layout) {
  OnScreen shown;
  shown.request = !layout.request_folded;
  shown.request_over = layout.request_over;
  if (!layout.one_layer()) return shown;
  shown.has_inspector = true;
  shown.inspector = layout.show_inspector && !layout.inspector_rail;
  shown.has_concat = layout.show_heads && shows_concat(ui.session.view.heads_show);
  shown.concat = shown.has_concat && !layout.concat_header_only;
  shown.enlarged = !layout.show_heads && !layout.tabs;
  return shown;
}

void close_request_by_click(Ui& ui, const Layout& layout) {
  if (!layout.request_over || ui.state.top_layer != 0 || !ImGui::GetIO().MouseClicked[0]) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool on_panels = mouse.y >= layout.views.min.y && mouse.y < layout.status.min.y;
  const Rect with_edge{layout.request.min, {layout.request.max.x + ui.px(4), layout.request.max.y}};
  if (!on_panels || with_edge.contains(mouse) || callout_covers(ui, mouse)) return;
  close_request_over(ui);
}

void leave_top(Ui& ui) {
  if (!phrase_is_open(ui)) {
    if (close_request_over(ui) || close_fact_row(ui) || leave_main_view(ui) || dismiss_notice(ui)) return;
  }
  ui.state.focus.clear();
  ui.session.end_undo_step();
}

}  // namespace headscope::ui

#include "app/ui/heads/one_head.h"

#include <algorithm>
#include <string>

#include "app/session/session.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/request/head_changes.h"

namespace headscope::ui {
namespace {

// Text is typed into the controls of other panels; X is a letter there.
bool types_no_text(const Ui& ui) {
  const std::string& focus = ui.state.focus;
  const bool own = focus.starts_with("heads") || focus.starts_with("inspector/picture") || focus.starts_with("tokens");
  return ui.on_top() && ui.state.editing.empty() && (focus.empty() || own);
}

}  // namespace

void draw_one_head(Ui& ui, const OneHeadPlaces& places) {
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().stages.empty()) return;
  draw_head_strip(ui, *data, places.strip, places.names_only);
  draw_large_picture(ui, *data, places.large, places.with_stages);
  draw_head_bars(ui, *data, places.words);
  const std::int64_t heads = data->trace().num_heads();
  if (heads > 0 && types_no_text(ui) && ui.take_key(KeyName::x)) {
    switch_head(ui, {shown_layer(ui), selection_of(ui.session.view, data->trace()).head});
  }
}

}  // namespace headscope::ui

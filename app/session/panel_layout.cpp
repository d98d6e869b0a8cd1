#include "app/session/panel_layout.h"

namespace headscope {

PanelLayout panel_layout_of(const ViewState& view) {
  return {.request_width = view.request_width,
          .inspector_width = view.inspector_width,
          .concat_height = view.concat_height,
          .request_collapsed = view.request_collapsed,
          .concat_collapsed = view.concat_collapsed,
          .inspector_collapsed = view.inspector_collapsed,
          .pipeline_collapsed = view.pipeline_collapsed,
          .views_grouped = view.views_grouped};
}

void set_panel_layout(ViewState& view, const PanelLayout& layout) {
  view.request_width = layout.request_width;
  view.inspector_width = layout.inspector_width;
  view.concat_height = layout.concat_height;
  view.request_collapsed = layout.request_collapsed;
  view.concat_collapsed = layout.concat_collapsed;
  view.inspector_collapsed = layout.inspector_collapsed;
  view.pipeline_collapsed = layout.pipeline_collapsed;
  view.views_grouped = layout.views_grouped;
}

PanelLayout first_panel_layout() {
  PanelLayout layout;
  layout.request_collapsed = layout.pipeline_collapsed = layout.concat_collapsed = layout.views_grouped = true;
  return layout;
}

HeadsShow usual_heads(const Settings& settings) {
  return settings.one_head ? HeadsShow::one : HeadsShow::grid;
}

bool is_folded(const PanelLayout& layout) {
  return layout.request_collapsed || layout.concat_collapsed || layout.inspector_collapsed ||
         layout.pipeline_collapsed || layout.views_grouped;
}

PanelLayout with_folds_of(PanelLayout layout, const PanelLayout& folds) {
  layout.request_collapsed = folds.request_collapsed;
  layout.concat_collapsed = folds.concat_collapsed;
  layout.inspector_collapsed = folds.inspector_collapsed;
  layout.pipeline_collapsed = folds.pipeline_collapsed;
  layout.views_grouped = folds.views_grouped;
  return layout;
}

PanelLayout unfolded(PanelLayout layout) {
  PanelLayout folds;
  folds.views_grouped = false;
  return with_folds_of(layout, folds);
}

}  // namespace headscope

#include "app/session/panel_layout.h"

namespace headscope {

PanelLayout panel_layout_of(const ViewState& view) {
  return {.request_width = view.request_width,
          .inspector_width = view.inspector_width,
          .concat_height = view.concat_height,
          .request_collapsed = view.request_collapsed,
          .concat_collapsed = view.concat_collapsed,
          .inspector_collapsed = view.inspector_collapsed,
          .pipeline_collapsed = view.pipeline_collapsed};
}

void set_panel_layout(ViewState& view, const PanelLayout& layout) {
  view.request_width = layout.request_width;
  view.inspector_width = layout.inspector_width;
  view.concat_height = layout.concat_height;
  view.request_collapsed = layout.request_collapsed;
  view.concat_collapsed = layout.concat_collapsed;
  view.inspector_collapsed = layout.inspector_collapsed;
  view.pipeline_collapsed = layout.pipeline_collapsed;
}

}  // namespace headscope

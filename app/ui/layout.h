// Where every panel lies, and which give way as the window shrinks. Pure: sizes in, rectangles out.
#pragma once

#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

constexpr float kSmallestWidth = 960, kSmallestHeight = 640;

struct Layout {
  Rect menu, status, request, phrase, pipeline, notices, heads, concat, inspector;
  bool command_box = true;        // in the menu bar
  bool request_rail = false;      // 36 wide, its name at 90 degrees
  bool request_over = false;      // opened by hand where there is no room: it lies over the panels beside it
  bool pipeline_small = false;    // names only
  bool key_phrase_button = true;  // else in the menu
  bool concat_header_only = false;
  bool inspector_rail = false;
  bool tabs = false;  // heads and inspector share one place; `show_inspector` says which is seen
  bool show_inspector = true;
  bool show_heads = true;
  MainView main_view = MainView::layer;  // other views take the place of pipeline, heads, concat and inspector
  Rect main;                             // where they are drawn
  Rect tab_bar;                          // with tabs only
  bool one_layer() const { return main_view == MainView::layer; }
};

// `width` and `height` in device pixels; `notices` is the height that notices take below the pipeline, in device
// pixels. Under 960 x 640 (at 1x) the layout of that size is cut off at the right and bottom.
Layout layout_of(float width, float height, float scale, const ViewState& view, float notices, bool inspector_tab,
                 MainView main_view = MainView::layer);

// The width (at 1x) from which the Request stays open beside the panels.
float request_from(MainView main_view);

}  // namespace headscope::ui

#include "app/ui/layout.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {

namespace {

// Thresholds at 1x, in the order in which things give way.
constexpr float kCommandBoxFrom = 1200;
constexpr float kRequestFrom = 1440, kRequestBesideLayersFrom = 1800;
constexpr float kPipelineFrom = 900;
constexpr float kKeyPhraseFrom = 1360;
constexpr float kNarrowInspectorBelow = 1440, kNarrowInspector = 420;
constexpr float kTabsBelow = 1100;
constexpr float kMostInspector = 620;
// Heads keep this height before concat takes any: two rows of small thumbnails with their labels.
constexpr float kHeadsHeight = 474, kLeastConcat = 84;

// How wide the inspector is when the window is larger than heads need: thumbnails grow with the height first.
float inspector_width(float room, float heads_height, const ViewState& view) {
  const ViewState defaults;
  if (view.inspector_width != defaults.inspector_width) return view.inspector_width;
  const float thumbnail = std::max(96.0f, (heads_height - size::panel_header - 44) / 2 - 26);
  const float heads = 4 * thumbnail + 62 + 3 * 10 + 2 * size::panel_padding;
  return std::clamp(room - heads, defaults.inspector_width, kMostInspector);
}

}  // namespace

float request_from(MainView main_view) {
  return main_view != MainView::layer ? kRequestBesideLayersFrom : kRequestFrom;
}

Layout layout_of(float width, float height, float scale, const ViewState& view, float notices, bool inspector_tab,
                 MainView main_view) {
  Layout layout;
  const float w = std::max(kSmallestWidth, width / scale), h = std::max(kSmallestHeight, height / scale);
  const auto px = [scale](float x) { return std::round(x * scale); };
  const float right = std::max(width, px(kSmallestWidth)), bottom = std::max(height, px(kSmallestHeight));
  const float menu = px(size::menu), status = bottom - px(size::status);

  layout.command_box = w >= kCommandBoxFrom;
  layout.key_phrase_button = w >= kKeyPhraseFrom;
  const bool room_for_request = w >= request_from(main_view);
  const bool open = room_for_request ? !view.request_collapsed : view.request_opened_by_hand;
  layout.request_rail = !open;
  layout.request_over = open && !room_for_request;
  layout.pipeline_small = view.pipeline_collapsed || h < kPipelineFrom;

  layout.menu = {{0, 0}, {right, menu}};
  layout.status = {{0, status}, {right, bottom}};
  const float request = px(open ? std::clamp(view.request_width, 220.0f, 420.0f) : size::rail);
  layout.request = {{0, menu}, {request, status}};
  const float left = layout.request_over ? px(size::rail) : request;

  float y = menu;
  const auto strip = [&](float strip_height) {
    const Rect result{{left, y}, {right, y + strip_height}};
    y += strip_height;
    return result;
  };
  layout.phrase = strip(px(size::phrase_row));
  layout.main_view = main_view;
  if (main_view != MainView::layer) {
    layout.pipeline = strip(0);
    layout.notices = strip(notices);
    layout.main = {{left, y}, {right, status}};
    layout.show_heads = layout.show_inspector = false;
    return layout;
  }
  layout.pipeline = strip(px(layout.pipeline_small ? size::pipeline_small : size::pipeline));
  layout.notices = strip(notices);

  // Heads and inspector beside each other, or in one place.
  const float body_height = (status - y) / scale;
  // Notices come and go: the widths stay, and concat gives its height before heads do.
  const float usual_height = body_height + notices / scale;
  layout.tabs = w < kTabsBelow;
  float inspector = 0;
  if (!layout.tabs) {
    layout.inspector_rail = view.inspector_collapsed;
    const float concat_guess = std::clamp(usual_height - kHeadsHeight, size::panel_header, view.concat_height);
    const float room = (right - left) / scale;
    inspector = inspector_width(room, usual_height - concat_guess, view);
    if (w < kNarrowInspectorBelow) inspector = std::min(inspector, kNarrowInspector);
    inspector = std::min(inspector, room - 420);
    inspector = px(layout.inspector_rail ? size::rail : inspector);
  }
  const float split = right - inspector;

  float concat = std::min(view.concat_height, usual_height - kHeadsHeight);
  if (concat >= kLeastConcat) concat = std::max(kLeastConcat, concat - notices / scale);
  layout.concat_header_only = view.concat_collapsed || concat < kLeastConcat;
  if (layout.concat_header_only) concat = size::panel_header;
  const float concat_top = status - px(concat);

  if (layout.tabs) {
    layout.tab_bar = {{left, y}, {right, y + px(size::rail)}};
    y += px(size::rail);
    layout.show_inspector = inspector_tab;
    layout.show_heads = !inspector_tab;
    layout.inspector = {{left, y}, {right, status}};
  } else {
    layout.inspector = {{split, y}, {right, status}};
  }
  layout.heads = {{left, y}, {split, concat_top}};
  layout.concat = {{left, concat_top}, {split, status}};
  return layout;
}

}  // namespace headscope::ui

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
// Heads keep this height before concat takes any, unless its height was set by hand: two rows of small thumbnails with
// their labels.
constexpr float kHeadsHeight = 400;

bool is_set_by_hand(float ViewState::*size, const ViewState& view) {
  return view.*size != ViewState().*size;
}

// How wide the inspector is when the window is larger than heads need: thumbnails grow with the height first.
float inspector_width(float room, float heads_height) {
  const float thumbnail = std::max(96.0f, (heads_height - size::panel_header - 44) / 2 - 26);
  const float heads = 4 * thumbnail + 62 + 3 * 10 + 2 * size::panel_padding;
  return std::clamp(room - heads, ViewState().inspector_width, kMostInspector);
}

// The same of a window `w` wide, beside heads and concat that are `height` high together without notices; at 1x.
float inspector_beside(float w, float room, float height, const ViewState& view) {
  const float most = room - kLeastHeadsWidth;
  if (is_set_by_hand(&ViewState::inspector_width, view)) {
    return std::clamp(view.inspector_width, kLeastInspector, std::max(kLeastInspector, most));
  }
  const float concat_guess = std::clamp(height - kHeadsHeight, size::panel_header, view.concat_height);
  const float wish = inspector_width(room, height - concat_guess);
  return std::min(w < kNarrowInspectorBelow ? std::min(wish, kNarrowInspector) : wish, most);
}

// Heads, concat and inspector in `body`: beside each other, or in one place.
void place_layer(Layout& layout, const Rect& body, const LayoutInput& input, const ViewState& view) {
  const float scale = input.scale, w = std::max(kSmallestWidth, input.width / scale);
  const auto px = [scale](float x) { return std::round(x * scale); };
  const float left = body.min.x, right = body.max.x, status = body.max.y;
  // Notices come and go: the widths stay, and concat gives its height before heads do.
  const float usual_height = body.height() / scale + input.notices / scale;
  layout.tabs = w < kTabsBelow;
  float inspector = 0;
  if (!layout.tabs) {
    layout.inspector_rail = view.inspector_collapsed;
    inspector = px(layout.inspector_rail ? size::rail : inspector_beside(w, body.width() / scale, usual_height, view));
  }
  const float split = right - inspector;

  const float least_heads = kLeastHeadsHeight + (layout.tabs ? size::rail : 0);
  const float heads_height = is_set_by_hand(&ViewState::concat_height, view) ? least_heads : kHeadsHeight;
  float concat = std::min(view.concat_height, usual_height - heads_height);
  if (concat >= kLeastConcat) concat = std::max(kLeastConcat, concat - input.notices / scale);
  layout.concat_header_only = view.concat_collapsed || concat < kLeastConcat;
  if (!input.has_concat) layout.concat_header_only = true;
  if (layout.concat_header_only) concat = input.has_concat ? size::panel_header : 0;
  const float concat_top = status - px(concat);

  float y = body.min.y;
  if (layout.tabs) {
    layout.tab_bar = {{left, y}, {right, y + px(size::rail)}};
    y += px(size::rail);
    layout.show_inspector = input.inspector_tab;
    layout.show_heads = !input.inspector_tab;
    layout.inspector = {{left, y}, {right, status}};
  } else {
    layout.inspector = {{split, y}, {right, status}};
  }
  layout.heads = {{left, y}, {split, concat_top}};
  layout.concat = {{left, concat_top}, {split, status}};
}

}  // namespace

float request_from(MainView main_view) {
  return main_view != MainView::layer ? kRequestBesideLayersFrom : kRequestFrom;
}

Layout layout_of(const LayoutInput& input, const ViewState& view) {
  Layout layout;
  const float scale = input.scale;
  const float w = std::max(kSmallestWidth, input.width / scale), h = std::max(kSmallestHeight, input.height / scale);
  const auto px = [scale](float x) { return std::round(x * scale); };
  const float right = std::max(input.width, px(kSmallestWidth)), bottom = std::max(input.height, px(kSmallestHeight));
  const float menu = px(size::menu), status_top = bottom - px(size::status);
  const float lesson = status_top - input.lesson, status = lesson - input.updates;

  layout.command_box = w >= kCommandBoxFrom;
  layout.key_phrase_button = w >= kKeyPhraseFrom;
  const bool room_for_request = w >= request_from(input.main_view);
  const bool open = room_for_request ? !view.request_collapsed : view.request_opened_by_hand;
  layout.request_folded = !open;
  layout.request_over = open && !room_for_request;
  layout.pipeline_fixed = h < kPipelineFrom;
  layout.pipeline_small = view.pipeline_collapsed || layout.pipeline_fixed || input.start > 0;

  layout.menu = {{0, 0}, {right, menu}};
  layout.status = {{0, status_top}, {right, bottom}};
  layout.lesson = {{0, lesson}, {input.width, status_top}};
  layout.updates = {{0, status}, {input.width, lesson}};
  const float request = px(std::clamp(view.request_width, kLeastRequest, kMostRequest));
  const float views_end = menu + px(size::views), top = views_end + input.start;
  // The names of the views have the width that is seen, even where the rest is cut off.
  layout.views = {{0, menu}, {input.width, views_end}};
  layout.start = {{0, views_end}, {input.width, top}};
  if (open) layout.request = {{0, top}, {request, status}};
  const float left = open && !layout.request_over ? request : 0;

  float y = top;
  const auto strip = [&](float strip_height) {
    const Rect result{{left, y}, {right, y + strip_height}};
    y += strip_height;
    return result;
  };
  layout.phrase = strip(px(size::phrase_row));
  // Where the Request lies over the panels its facts stay, so that nothing moves.
  layout.facts = strip(open && !layout.request_over ? 0 : px(size::facts));
  // Large pictures of the stages take the room of the second line.
  const bool one_line = h < kViewHeadFrom || (input.main_view == MainView::layer && !layout.pipeline_small);
  layout.head = strip(px(one_line ? size::view_head_small : size::view_head));
  layout.main_view = input.main_view;
  const float pipeline = px(layout.pipeline_small ? size::pipeline_small : size::pipeline);
  layout.pipeline = strip(layout.one_layer() ? pipeline : 0);
  layout.notices = strip(input.notices);
  if (layout.one_layer()) {
    place_layer(layout, {{left, y}, {right, status}}, input, view);
  } else {
    layout.main = {{left, y}, {right, status}};
    layout.show_heads = layout.show_inspector = false;
  }
  return layout;
}

}  // namespace headscope::ui

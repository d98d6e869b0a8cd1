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

// Beside one large head, which needs no more than its height: in a room that is so wide.
float inspector_beside_one(float room, const ViewState& view) {
  constexpr float kShare = 0.305f, kLeast = 390;
  const float most = std::max(kLeastInspector, room - kLeastHeadsWidth);
  if (is_set_by_hand(&ViewState::inspector_width, view)) return std::clamp(view.inspector_width, kLeastInspector, most);
  return std::min(most, std::clamp(room * kShare, kLeast, kMostInspector));
}

// Of one large head: what is around the cells of its picture, the least width of the picture and of the words beside
// it, and how much of the room a picture without square cells has.
constexpr float kLargeBeside = 150, kLargeAround = 34 + 50 + 42, kLeastLarge = 360, kLeastWords = 250,
                kLeastBesideConcat = 380;
constexpr float kOblongShare = 0.6f, kLeastWordsHeight = 240;
// The row of its heads: by names, else by maps of this height, which may grow in a high window.
constexpr float kStripNames = 34, kStripMap = 86, kStripTallMap = 112, kStripTallFrom = 1300, kStripAround = 56;

// How wide the large picture is in a room of this size, `words` of which are those beside it at least; at 1x. Its cells
// grow until height or width ends.
float large_width(float room, float height, float words, const LayoutInput& input) {
  const float most = std::max(kLeastLarge, room - words);
  if (input.rows <= 0 || input.columns <= 0) return std::clamp(room * kOblongShare, kLeastLarge, most);
  const auto rows = static_cast<float>(input.rows), columns = static_cast<float>(input.columns);
  float cell = std::min(kLargestCell, (height - kLargeAround) / rows);
  if (cell > 3) cell = std::floor(cell * input.scale) / input.scale;
  return std::clamp(kLargeBeside + cell * columns, kLeastLarge, most);
}

// One large head in `layout.heads`, whose top is that of the strip; concat below its words.
void place_one_head(Layout& layout, const LayoutInput& input, const ViewState& view) {
  const float scale = input.scale;
  const auto px = [scale](float x) { return std::round(x * scale); };
  const Rect heads = layout.heads;
  const bool tall = input.height / scale >= kStripTallFrom;
  const float strip = layout.strip_names ? kStripNames : kStripAround + (tall ? kStripTallMap : kStripMap);
  layout.strip = {heads.min, {heads.max.x, heads.min.y + px(strip)}};
  if (layout.strip_names && !layout.tabs) {
    layout.strip.max.x = layout.inspector.max.x;
    layout.inspector.min.y = layout.strip.max.y;
  }
  const float top = layout.strip.max.y;
  const float room = heads.width() / scale, height = (heads.max.y - top) / scale;
  float concat = std::min(view.concat_height, height - kLeastWordsHeight);
  layout.concat_header_only = view.concat_collapsed || concat < kLeastConcat || !input.has_concat;
  if (layout.concat_header_only) concat = input.has_concat ? size::folded : 0;
  const float words = layout.concat_header_only ? kLeastWords : kLeastBesideConcat;
  const float split = heads.min.x + px(large_width(room, height, words, input));
  layout.large = {{heads.min.x, top}, {split, heads.max.y}};
  layout.concat = {{split, heads.max.y - px(concat)}, heads.max};
  layout.words = {{split, top}, {heads.max.x, layout.concat.min.y}};
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
    const float room = body.width() / scale;
    const float beside =
        input.one_head ? inspector_beside_one(room, view) : inspector_beside(w, room, usual_height, view);
    inspector = px(layout.inspector_rail ? size::rail : beside);
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
  if (!input.one_head) return;
  layout.heads.max.y = status;
  place_one_head(layout, input, view);
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
  // With one large head the stages give way first, then the maps of the others.
  layout.pipeline_hidden = input.one_head && (layout.pipeline_fixed || input.start > 0);
  layout.strip_names = layout.pipeline_hidden;

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
  layout.facts = strip(open && !layout.request_over ? 0 : px(size::facts) + input.fact_row);
  // Large pictures of the stages take the room of the second line.
  const bool one_line = h < kViewHeadFrom || (input.one_head && input.start > 0) ||
                        (input.main_view == MainView::layer && !layout.pipeline_small);
  layout.finding = input.main_view == MainView::layer && h < kSecondLineFrom ? 0 : input.finding;
  layout.head = strip(px(one_line ? size::view_head_small : size::view_head) + layout.finding);
  layout.main_view = input.main_view;
  const float pipeline = layout.pipeline_hidden ? 0 : px(layout.pipeline_small ? size::pipeline_small : size::pipeline);
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

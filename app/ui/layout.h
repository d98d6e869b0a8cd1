// The place of every panel, and which panels shrink or fold in a small window. Pure: sizes in, rectangles out.
#pragma once

#include <cstdint>

#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

constexpr float kSmallestWidth = 800, kSmallestHeight = 500;
// How far the user may move the borders of panels; at 1x.
constexpr float kLeastRequest = 220, kMostRequest = 420, kLeastInspector = 360, kLeastConcat = 84;
constexpr float kLeastHeadsWidth = 580, kLeastHeadsHeight = 200;
constexpr float kLargestCell = 96;      // of one large head
constexpr float kViewHeadFrom = 900;    // the height from which the head of a view has two lines; at 1x
constexpr float kSecondLineFrom = 610;  // and from which the finding of one layer may have two: its panels come first

struct Layout {
  Rect menu, views, start, status, lesson, updates, request, phrase, facts, head, pipeline, notices, heads, concat,
      inspector;
  bool command_box = true;        // in the menu bar
  bool request_folded = false;    // to the line of facts
  bool request_over = false;      // opened by the user without enough room: drawn over the panels beside it
  bool pipeline_small = false;    // names only
  bool pipeline_fixed = false;    // so, whatever the user wants: the window is too low
  bool key_phrase_button = true;  // else in the menu
  bool concat_header_only = false;
  bool inspector_rail = false;
  // One large head has these, all within `heads`: the row of all heads, the large picture, what it says in words.
  Rect strip, large, words;
  float finding = 0;             // of the height of `head`: the second line of the finding
  bool strip_names = false;      // the row has names only
  bool pipeline_hidden = false;  // a list beside the large picture has the stages
  bool tabs = false;             // heads and inspector share one place; show_inspector says which is shown
  bool show_inspector = true;
  bool show_heads = true;
  MainView main_view = MainView::layer;  // other views than `layer` replace pipeline, heads, concat and inspector
  Rect main;                             // where these views are drawn
  Rect tab_bar;                          // with tabs only
  bool one_layer() const { return main_view == MainView::layer; }
};

// What the window has room for, and what it shows.
struct LayoutInput {
  float width = 0, height = 0;  // of the window, device pixels
  float scale = 1;              // device pixels a pixel at 1x
  float notices = 0;            // the height that notices take below the pipeline, device pixels
  float start = 0;              // the height that the cards of the start take below the views, device pixels
  float fact_row = 0;           // the height that the controls of a fact of the request take, device pixels
  float finding = 0;            // the height that a second line of the view's finding takes in its head, device pixels
  float lesson = 0;             // the height that the lesson takes above the status bar, device pixels
  float updates = 0;            // the height that the time slider takes above the lesson, device pixels
  bool inspector_tab = false;   // where heads and inspector share one place: the inspector is shown
  MainView main_view = MainView::layer;
  bool has_concat = true;  // false: the result has none, and heads take its place
  bool one_head = false;   // heads are shown as HeadsShow::one
  // Cells of the large picture, where they are square; 0: they are not.
  std::int64_t rows = 0, columns = 0;
};

// Whether concat stands below the heads that are shown so.
constexpr bool shows_concat(HeadsShow heads) {
  return heads == HeadsShow::one || heads == HeadsShow::grid;
}

// Under 960 x 640 (at 1x) the layout of that size is cut off at the right and bottom.
Layout layout_of(const LayoutInput& input, const ViewState& view);

// The width (at 1x) from which the Request stays open beside the panels.
float request_from(MainView main_view);

}  // namespace headscope::ui

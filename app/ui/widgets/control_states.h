// What controls remember from one frame to the next, each by the name of the control.
#pragma once

#include <map>
#include <string>

namespace headscope::ui {

// How far the areas of begin_scroll() and scroll_across() are scrolled, in pixels.
struct ScrollOffsets {
  std::map<std::string, double> down, across;
};

// The list that a line of an open list can show beside itself.
enum class InnerList { none, closed, open };

// An open list of show_list().
struct OpenListState {
  bool open = false;                  // since an earlier frame
  int at = -1;                        // the marked line; -1: none
  double scroll = 0;                  // pixels
  InnerList inner = InnerList::none;  // of the marked line
  int inner_at = 0;                   // the marked line of the inner list; -1: none
};
struct OpenLists {
  std::map<std::string, OpenListState> by_name;
};

// The text fields that had the focus in the last frame.
struct FocusedFields {
  std::map<std::string, bool> had_focus;
};

// A splitter that is being dragged: what its mouse button was pressed on.
struct SplitterPress {
  double mouse = 0;  // place of the mouse, pixels
  double size = 0;   // of the panel, at scale 1
};
struct SplitterPresses {
  std::map<std::string, SplitterPress> by_name;
};

}  // namespace headscope::ui

// A list of words with bars: a name at the left, one or two bars, their numbers at the right.
#pragma once

#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::ui {

struct WordBar {
  std::string name;        // of the control; "": it is none
  std::string words;       // at the left
  std::string index = {};  // behind them, where others have the same words
  Rgba ink;                // of the words
  bool bold = false;
  double share = 0;         // of the whole width, 0 to 1
  Rgba color;               // of the bar
  std::string number;       // at the right
  bool second = false;      // a second bar below the first
  double second_share = 0;  // NaN: not known yet
  std::string second_number = {};
  const char* tooltip = nullptr;
};

// How high a row is at 1x, with one bar and with two.
constexpr float kBarRow = 26, kTwoBarsRow = 38;

// The rows from the top of `area` on, each `pitch` pixels high, all names as wide as the widest, at most a third of the
// width. Returns the row that was clicked; -1: none.
int word_bars(Ui& ui, const std::vector<WordBar>& rows, const Rect& area, float pitch);

}  // namespace headscope::ui

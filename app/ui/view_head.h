// The head of a main view: its name, what it finds in this run as a sentence, and how to read it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/main_view.h"
#include "app/ui/main_view.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Words or a number of a finding that one can click.
struct FindingLink {
  std::size_t at = 0, length = 0;  // in the sentence, bytes
  std::string name;                // of the control, below "view_head/"
  enum class Ink { number, query, key, word } ink = Ink::number;
  bool is_said = false;  // its words are ours, not letters of the text, and are translated
  std::string tooltip;
  std::function<void(Ui&)> go;  // called by the click
};

// What a view finds in this run.
struct ViewFinding {
  std::optional<MainView> of;
  std::string sentence;                 // with numbers of this run
  std::string heading;                  // in place of the view's name; "": the name
  std::vector<FindingLink> links = {};  // in the order of the sentence, without overlaps
  void add_text(std::string& all) const { all += heading + sentence; }
};

// Called by a view while it is drawn. The head says the sentence until the view says another one.
void say_finding(Ui& ui, MainView view, std::string sentence, std::string heading = {},
                 std::vector<FindingLink> links = {});

// Draws the head of the view that is shown, in two lines, or in one where it has no room for two. `more`, or in one
// line `how to read it`, opens the guide at its page. `more`: second_line(), where `area` is higher by that, else 0.
void draw_view_head(Ui& ui, const Rect& area, float more, const MainViewInfo& info);

// By how many device pixels a head at `head`, which has one line for its finding, has to be higher for what it says: 0
// where that fits into one line. Asked for once a frame. It stays what it was while the view and the width of the head
// are the same, so that panels do not move from cell to cell.
float second_line(Ui& ui, const Rect& head, const MainViewInfo& info);

}  // namespace headscope::ui

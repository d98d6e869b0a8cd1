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
// line `how to read it`, opens the guide at its page.
void draw_view_head(Ui& ui, const Rect& area, const MainViewInfo& info);

}  // namespace headscope::ui

// The head of a main view: its name, what it finds in this run as a sentence, and how to read it.
#pragma once

#include <optional>
#include <string>

#include "app/session/main_view.h"
#include "app/ui/main_view.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What a view finds in this run.
struct ViewFinding {
  std::optional<MainView> of;
  std::string sentence;  // with numbers of this run
  std::string heading;   // in place of the view's name; "": the name
  void add_text(std::string& all) const { all += heading + sentence; }
};

// Called by a view while it is drawn. The head says the sentence until the view says another one.
void say_finding(Ui& ui, MainView view, std::string sentence, std::string heading = {});

// Draws the head of the view that is shown, in two lines, or in one where it has no room for two. `more`, or in one
// line `how to read it`, opens the guide at its page.
void draw_view_head(Ui& ui, const Rect& area, const MainViewInfo& info);

}  // namespace headscope::ui

// Suggests known words under the phrase box while the user types, for a vocabulary of whole words.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

struct PhraseSuggestion {
  std::string first;  // what Tab takes; "": nothing is suggested
  void add_text(std::string& all) const { all += first; }
};

// Call it before the box is drawn: Tab takes the first suggestion of the last frame.
void take_suggestion(Ui& ui, std::string& phrase);

// Call it after the box: draws a row of words over the panels below the box; a click takes one.
void draw_suggestions(Ui& ui, const Rect& box, std::string& phrase);

// Whether Tab takes a suggestion instead of moving the focus.
bool suggests(const UiState& state);

}  // namespace headscope::ui

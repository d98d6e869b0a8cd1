// The examples as cards to press, each with its title and a sentence: in the dialog, and in place of the panels while
// there is no phrase.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

// Holds the letters of the texts that the cards showed last.
struct ExampleLetters {
  std::string letters;
  void add_text(std::string& all) const { all += letters; }
};

// Draws all cards in `area`, which scrolls where they are too many; names of controls are NAME/ID. Returns the id of
// the one that was pressed, else "".
std::string draw_example_cards(Ui& ui, const std::string& name, const Rect& area);
// The height of all cards, in pixels at 1x.
float example_cards_height();

// Whether the phrase is empty and nothing stands in for it.
bool offers_examples(const Ui& ui);
// The examples in place of the panels under the phrase; a press opens one.
void draw_example_offers(Ui& ui, const Rect& area);

}  // namespace headscope::ui

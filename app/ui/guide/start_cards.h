// Where one begins: four ways in as a row of cards above the live window, at the very first start and by Help > Start.
#pragma once

#include <span>
#include <string>

#include "app/ui/command.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// A button of a card. Its words are a text of the language file, "start/open_folder", or stand here as they are: names.
struct StartWay {
  const char* text = "";  // the path in the language file; "": `name`
  const char* name = "";
  CommandId command = CommandId::none;
  const char* argument = "";  // of the command
};

struct StartCard {
  const char* word;  // its place in the language file: "tutorial" of "start/tutorial/title", and in the probe
  float share;       // of the width
  std::span<const StartWay> ways;
};

// One row a card, in the order of the window.
std::span<const StartCard> start_cards();

// Holds the letters of the texts that the cards showed last.
struct StartLetters {
  std::string letters;
  void add_text(std::string& all) const { all += letters; }
};

// The height of the row at this width, in device pixels; 0 while it is closed.
float start_height(Ui& ui, float width);

// Draws the row. Its buttons are "start/CARD/1" and on in the probe, "start/tour" and "start/close".
void draw_start(Ui& ui, const Rect& area);

}  // namespace headscope::ui

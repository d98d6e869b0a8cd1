// A head in spoken words, and a row of weights as sound: for who does not look at the screen.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

// What is said: the sentence of the selected head, and that of the picked row; without a picked row those of all rows
// of a text of 12 tokens at most. "" without weights.
std::string words_to_say(const Ui& ui);

// Says them; nothing where there is nothing to say it with (Ui::say).
void say_head(Ui& ui);

// Plays the weights of the picked row of the selected head (core/heads/row_sound.h).
void play_row(Ui& ui);

// Once a frame: with Settings::row_sound, plays a row when another one is picked.
void follow_rows(Ui& ui);

}  // namespace headscope::ui

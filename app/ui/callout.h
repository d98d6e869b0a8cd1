// A box of words that points at a control, with the way on and back: what the tour and the examples speak with.
#pragma once

#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::ui {

struct Callout {
  std::string name;                   // of its controls: "tour"
  std::vector<std::string> controls;  // by their names in the probe; the first that is on screen is pointed at
  std::string counter;                // "Step 3 of 12"
  std::string title, text;
  std::string back, next, leave;  // labels; back "" when there is nothing before
  bool is_warning = false;        // about a mistake
  std::vector<std::string> list;  // of a small combo at the left of the buttons; empty: none
  int chosen = 0;                 // of the list
};

// What was pressed in this frame: by mouse, by Enter on the focused button, by Left, Right and Esc.
enum class CalloutAction { none, back, next, leave, choose };

// Draws it over the panels; `callout.chosen` follows the list. It is no dialog: what lies beside it goes on working.
CalloutAction draw_callout(Ui& ui, const Rect& window, Callout& callout);

// The panels below the callout of the last frame see no mouse. Before they are drawn.
void cover_below_callout(Ui& ui);
// There is none any more.
void forget_callout(Ui& ui);

}  // namespace headscope::ui

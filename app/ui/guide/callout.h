// A box of words that points at a control, with the way on and back: what the tour and the examples speak with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/guide/languages.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct Callout {
  std::string name;                   // of its controls: "tour"
  std::vector<std::string> controls;  // by their names in the probe; the first that is on screen is pointed at
  std::string counter;                // "Step 3 of 12"
  std::string title, text;
  std::string go, back, next, leave;  // labels; "" for what is not offered
  bool is_warning = false;            // about a mistake
  bool beside = false;                // stands at the side where there is room: what lies below is spoken of, too
};

// What was pressed in this frame: by mouse, by Enter on the focused button, by Left, Right and Esc. `go`: to the place
// that it speaks of.
enum class CalloutAction { none, go, back, next, leave };

// Draws it over the panels, with the choice of the language, which it names in `language`. It is no dialog: what lies
// beside it goes on working.
CalloutAction draw_callout(Ui& ui, const Rect& window, const Callout& callout, const Language& language);

// What words speak of: it is brought into sight.
struct CalloutPlace {
  std::vector<std::string> controls;  // see Callout; the first says which panel is opened
  std::optional<StageId> stage;       // is selected where the layer has it
  std::optional<std::int64_t> head;   // is selected
  std::optional<Cell> cell;           // is picked
};
// Opens the panel of its control, selects, and scrolls there in the next frames.
void show_place(Ui& ui, const CalloutPlace& place);

// The panels below the callout of the last frame see no mouse. Before they are drawn.
void cover_below_callout(Ui& ui);
// There is none any more.
void forget_callout(Ui& ui);

}  // namespace headscope::ui

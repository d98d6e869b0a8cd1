// A box of text that points at a control, with buttons to go on and back: used by the tour and the examples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/guide/languages.h"
#include "app/ui/guide_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct Callout {
  std::string name;                   // of its controls: "tour"
  std::vector<std::string> controls;  // names in the probe; the box points at the first one on screen
  std::string counter;                // "Step 3 of 12"
  std::string title, text;
  std::string go, back, next, leave;  // labels of buttons; "": no such button
  bool is_warning = false;            // the text is about a mistake
  bool beside = false;                // placed at the side with more room, because the text is also about the panels
                                      // below the control
};

// The button pressed in this frame: by mouse, by Enter on the focused button, by Left, Right and Esc. `go`: show the
// place of the text.
enum class CalloutAction { none, go, back, next, leave };

// Draws the callout over the panels, with a language menu labelled in `language`. It is no dialog: the panels beside it
// stay usable.
CalloutAction draw_callout(Ui& ui, const Rect& window, const Callout& callout, const Language& language);

// The place that a text is about, which show_place() makes visible.
struct CalloutPlace {
  std::vector<std::string> controls;  // see Callout; the first one decides which panel is opened
  std::optional<StageId> stage;       // selected when the layer has it; nullopt: unchanged
  std::optional<std::int64_t> head;   // selected; nullopt: unchanged
  std::optional<Cell> cell;           // picked; nullopt: unchanged
};
// Opens the panel of its control, selects, and scrolls there in the next frames.
void show_place(Ui& ui, const CalloutPlace& place);

// The panels below the callout of the last frame get no mouse events. Call it before they are drawn.
void cover_below_callout(Ui& ui);
// Whether the callout of the last frame lies there.
bool callout_covers(const Ui& ui, ImVec2 at);
// Call it when no callout is shown any more.
void forget_callout(Ui& ui);

}  // namespace headscope::ui

// The lines of the script: their numbers, their colours, and what each makes of the phrase on screen.
#pragma once

#include "app/ui/script/shown_script.h"
#include "app/ui/ui.h"

namespace headscope::ui {

constexpr float kScriptLine = 18;  // the height of a line, at scale 1

// The width of numbers and code, in pixels.
float script_code_width(Ui& ui, const ShownScript& script);
// The width of the column with shapes and values at the right of `code`; 0 where there is no room.
float script_values_width(const Ui& ui, const Rect& code);

// Finds what the lines make, for the batch item, head and row that are selected; once for each selection.
void find_script_values(const Ui& ui, const Trace& trace, ShownScript& script);

// Where the lines lie: scrolled `offset` pixels down and `across` pixels to the right; `beside`: the width of the
// column with the values, which stays.
struct ScriptPlace {
  Rect area;
  float offset = 0, across = 0, beside = 0;
};
// Draws those in sight, the lines of the selected stage on a tinted ground.
void draw_script_lines(Ui& ui, const ShownScript& script, const ScriptPlace& place, const ScriptSection* marked);

}  // namespace headscope::ui

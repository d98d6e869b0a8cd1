// The request as a line of facts, where its panel is folded: each fact opens its controls in a row.
#pragma once

#include <string>
#include <vector>

#include "app/ui/ui.h"
#include "core/attention/trace.h"

namespace headscope::ui {

struct RequestFact {
  std::string words;
  const char* option = "";  // whose control the fact opens: "mask"
  bool usual = true;        // as it is when nobody chose it
};

// "random weights", "8 heads", "64 wide", "causal mask", "scale 1/√64", "nothing changed"; of a model also its name and
// "layer 3, the last of 4". `changes`: interventions that are switched on.
std::vector<RequestFact> request_facts(const Trace& trace, std::size_t changes);

// The controls of one fact, in a row below the line.
struct FactRow {
  std::string option;  // of the fact that is open; "": none
  float height = 44;   // of the row as it was drawn last, at 1x
};
// How high the row is, in pixels; 0 where no fact is open.
float fact_row_height(Ui& ui);
// For Esc: false where none is open.
bool close_fact_row(Ui& ui);

// Draws those that have room, the first ones first. The title "request/open" opens the panel; facts are
// "request/fact/OPTION" in the probe, and the open row is "request/fact_row", at the bottom of `area`.
void draw_request_facts(Ui& ui, const Rect& area);

}  // namespace headscope::ui

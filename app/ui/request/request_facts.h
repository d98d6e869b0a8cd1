// The request as a line of facts, where its panel is folded: each fact opens the panel at its control.
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

// Draws those that have room, the first ones first. The title "request/open" opens the panel; facts are
// "request/fact/OPTION" in the probe.
void draw_request_facts(Ui& ui, const Rect& area);

}  // namespace headscope::ui

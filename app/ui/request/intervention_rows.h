// The list of interventions, for all panels that show it: one line each with a switch and a cross, folded when there
// are many, and buttons for all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "app/ui/ui.h"
#include "core/request/intervention_list.h"

namespace headscope::ui {

// A fact about an intervention, shown at the right of its line.
struct InterventionFact {
  std::string words;
  std::string tooltip;  // added after the option's text
};

// The next row of a panel, `height` high at 1x.
using NextRow = std::function<Rect(float height)>;

// How many of `count` lines the list `name` shows before the rest is folded.
std::size_t shown_interventions(const Ui& ui, const std::string& name, std::size_t count);

// The draft's interventions: "name/0", "name/0/remove" and so on, "name/all" unfolds.
void draw_intervention_rows(Ui& ui, const std::string& name, const NextRow& next_row,
                            const std::function<InterventionFact(const Intervention&)>& fact = {});

// "name/switch" switches all of them off, or on when all are off; "name/clear" removes them.
void draw_intervention_buttons(Ui& ui, const std::string& name, const Rect& area);

}  // namespace headscope::ui

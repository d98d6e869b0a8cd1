// What the view 'sensitivity' shows in a frame, and its part by token.
#pragma once

#include <memory>

#include "app/session/background/background_queries.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct SensitivityShown {
  PanelData& data;
  Selection selection;
  Index target;                                         // empty: no cell is picked
  std::shared_ptr<const Sensitivities::Result> result;  // null: not computed yet
};

// sensitivity_tokens.cpp: the derivative by every token's vector as two bars: its norm, and times the vector.
void draw_sensitivity_tokens(Ui& ui, const SensitivityShown& shown, const Sensitivity& found, const Rect& area);

}  // namespace headscope::ui

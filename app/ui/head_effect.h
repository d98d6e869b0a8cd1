// What is said of the picked head over one layer: where it looks, and what the model predicts with and without it.
#pragma once

#include <memory>
#include <optional>

#include "app/session/background/head_effects.h"
#include "app/session/view_state.h"
#include "app/ui/panel_data.h"
#include "app/ui/stage_facts.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// The picked cell of a score-like stage, else the largest weight of the head; of another stage the picked row with the
// key that its query looks at most. nullopt: there is none, or it is not known yet.
std::optional<Cell> looked_at(PanelData& data, const Selection& selection);

// What the model of the shown trace predicts, asked in the background once a frame: null where no model says words, and
// until it is known. The run without the picked head begins when the result has rested, and only where a run is short:
// HeadEffect::without is empty until then, and always where the head is off already.
std::shared_ptr<const HeadEffect> head_effect(Ui& ui);
// Whether that run is wanted, and its numbers are on their way.
bool head_effect_waits(Ui& ui);

}  // namespace headscope::ui

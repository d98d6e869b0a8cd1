// What is changed of one head by hand: read of the draft, and put into it as a step of undo.
#pragma once

#include <cstdint>
#include <optional>

#include "app/ui/ui.h"
#include "core/request/request.h"
#include "core/request/stage.h"

namespace headscope::ui {

bool is_off(const Ui& ui, const LayerHead& place);
// Switches it off or on; a notice says so where it cannot be.
void switch_head(Ui& ui, const LayerHead& place);

// How its weights are held; nothing: computed. What is put in is in effect: a head that was off is on again.
std::optional<FrozenHead::As> held_as(const Ui& ui, const LayerHead& place);
void hold_head(Ui& ui, const LayerHead& place, std::optional<FrozenHead::As> as);

// What multiplies its query, or the key that it reads: one of multiplied_stages(). 1 when nothing names the head.
double head_factor(const Ui& ui, StageId stage, const LayerHead& place);
void multiply_head(Ui& ui, StageId stage, const LayerHead& place, double factor);

// Takes all of that out.
void leave_as_computed(Ui& ui, const LayerHead& place);

// Whether the numbers of the result on screen are computed; those of a capture are not held or multiplied.
bool computes_heads(const Ui& ui);

// Why no head of the result can be switched off, as one sentence; null when it can: a capture without values has no
// contexts to clear.
const char* why_heads_stay(const Ui& ui);

// The layer whose heads the panels of one layer show, as the options count.
std::int64_t shown_layer(const Ui& ui);

}  // namespace headscope::ui

// The terms of the mask as chips, and the chip that opens the mask editor.
#pragma once

#include <vector>

#include "app/ui/request/request_panel.h"
#include "core/request/mask_terms.h"

namespace headscope::ui {

// The kinds of terms in the order of their chips.
std::vector<const MaskTermInfo*> mask_chips();

// The draft's term of a kind; null: it has none.
MaskTerm* find_term(Request& draft, MaskTerm::Kind kind);

// The chips "request/mask/causal" and so on, each as wide as its label needs, and "request/mask" around all of them.
void draw_mask_chips(RequestRows& rows);

}  // namespace headscope::ui

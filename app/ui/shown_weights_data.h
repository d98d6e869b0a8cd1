// The weights of the shown trace as its request shows them: by words, without hidden tokens, and so on.
#pragma once

#include "app/ui/panel_data.h"

namespace headscope::ui {

// The most cells of all heads of a batch item that panels show otherwise than they were computed: a frame makes them.
constexpr std::int64_t kMostShownOtherwise = std::int64_t{1} << 18;

// Null where `quantity` is shown as it was computed: nothing else is asked for, or it cannot be, or there are more than
// kMostShownOtherwise cells. Its trace holds the shown stages alone. Kept while the trace is shown.
PanelData* shown_weights_data(Ui& ui, StageId quantity);

// How weights are shown in the panel that got `shown` from shown_weights_data(), or why they are not; "" where nothing
// is asked for.
std::string words_of_shown(const Ui& ui, StageId quantity, const PanelData* shown);

}  // namespace headscope::ui

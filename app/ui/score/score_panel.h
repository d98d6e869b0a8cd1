// Why a head looks there: who wrote what the query and the key of the picked cell meet in.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kScoreGrid = "score/grid";

void draw_score_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui

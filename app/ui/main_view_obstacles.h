// Each main view has needs before it can open: nothing is returned when it can, else why it cannot. The rows of
// main_view_table.cpp name these functions.
#pragma once

#include <optional>

#include "app/ui/main_view.h"
#include "app/ui/ui.h"

namespace headscope::ui {

std::optional<ViewObstacle> no_result(const Ui& ui);
std::optional<ViewObstacle> no_layers(const Ui& ui);
std::optional<ViewObstacle> no_mask(const Ui& ui);
std::optional<ViewObstacle> no_weights(const Ui& ui);
std::optional<ViewObstacle> no_text(const Ui& ui);
std::optional<ViewObstacle> no_lens(const Ui& ui);
std::optional<ViewObstacle> no_sweep(const Ui& ui);
std::optional<ViewObstacle> no_gradients(const Ui& ui);
std::optional<ViewObstacle> no_score(const Ui& ui);
std::optional<ViewObstacle> no_circuits(const Ui& ui);
std::optional<ViewObstacle> no_scatter(const Ui& ui);
std::optional<ViewObstacle> no_generation(const Ui& ui);
std::optional<ViewObstacle> no_token_to_follow(const Ui& ui);

}  // namespace headscope::ui

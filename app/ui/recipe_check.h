// Whether the weights of a model are those that an opened picture was made with: a notice where they are not.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope::ui {

// Call it when `path` was opened. Of a picture or another file whose recipe holds hashes of weights, check_recipe()
// asks once; whatever was asked of a file before is forgotten.
void note_recipe(UiState& state, const std::string& path);
// The same of a text, a session or recipe, that `name` names.
void note_recipe_text(UiState& state, const std::string& json, const std::string& name);

// Call it once a frame. Once the request of the recipe has its result, a thread hashes the weights, which of a large
// model takes seconds; the notice has the key "recipe".
void check_recipe(Ui& ui);

}  // namespace headscope::ui

// The hashes of weights that a recipe keeps, and whether a model still has these weights.
#pragma once

#include <optional>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/used_weights.h"
#include "core/io/json_value.h"
#include "core/request/request.h"

namespace headscope {

struct RecipeWeights {
  std::string sha256;                       // of the shown layer's attention, all that older recipes have; "" for none
  std::optional<UsedWeights> used;          // of a model
  std::optional<UsedWeights> against_used;  // likewise of A of a difference
  bool any() const { return !sha256.empty() || used || against_used; }
};

// Of a session or recipe, at "sha256", "used_weights" and "against_used_weights"; of a manifest at "weights_sha256".
// Throws Error as parse_session() and read_session_text() do.
RecipeWeights parse_recipe_weights(const std::string& json, const std::string& what);
RecipeWeights read_recipe_weights(const std::string& path);

// The value at "used_weights" or "against_used_weights", `name`. Error that begins with `what`.
UsedWeights used_weights_from(const JsonValue& value, const std::string& what, const std::string& name);

// "the weights of m are not those that fig.svg was made with: SHA-256 77aa01c09b3e... now, 3f2a91c04b7e... then"; ""
// where they are the same, and where nothing that can be compared is known: another model, layer or edited weight was
// asked for, or the recipe has no hash. `recipe` and `then`, its request, are those of the file `name`. Words are
// compared where the text is the recipe's own. Reads the weights that the hash covers. Throws Cancelled.
std::string other_weights_sentence(const RecipeWeights& recipe, const Request& then, const std::string& name,
                                   const Trace& trace, const CancelToken& cancel);

}  // namespace headscope

// The recipe inside an exported picture.
#pragma once

#include <map>
#include <string>

#include "core/base/cancel.h"
#include "core/picture/figure/figure.h"

namespace headscope {

// How the hashes of a recipe are made.
struct RecipeHashes {
  // Of a picture that shows all layers whatever its view is: a page. Views of the whole model are known by themselves.
  bool whole_model = false;
  bool stand_in = false;  // zeros in their place: of a recipe whose length alone is wanted
  CancelToken cancel = {};
};

// The recipe chunks of the PNG of a figure: {"headscope": session JSON with the view, "sha256" and "used_weights",
// "headscope-sha256": of the weights of the shown layer's attention}; without weights (attention alone) no hashes.
// "used_weights", of a model: {"layers", "whole", "sha256", "words_sha256"}, as UsedWeights. A difference and a sweep
// have the request of A at "against", or the name of a file of other code at "theirs", and of its model
// "against_used_weights". A session file with this JSON restores the request and this view. `window` as for
// session_json(). Reads the weights that the picture depends on. Throws Cancelled.
std::map<std::string, std::string> recipe_of(const FigureSource& source, const ViewSpec& view,
                                             const std::string& window = "", const RecipeHashes& hashes = {});

}  // namespace headscope

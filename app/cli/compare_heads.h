// `compare` says of two whole models how far all heads of all layers are apart, as JSON, text and CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/compare/head_differences.h"

namespace headscope::cli {

// Adds to what `compare --json` prints
//   layers        [{layer, heads:[{head, weights, context, qk, ov}], moved:[[from, to]], paired:[{from, to, weights,
//                 context, qk, ov}], said}], shares as HeadShares, null where nothing can be said; `said` is null, or
//                 the sentence about heads that have moved. null where there is no map
//   no_layers     why there is none, a sentence; null
//   first_heads   {maps, text}, each {layer, head} or null: the first head that differs beyond rounding
//   divergence    that as a sentence; null without a map
void add_heads_of_models(nlohmann::ordered_json& json, const ModelDifference& found);

// The heads that are farthest apart as a table, the farthest first, below the sentences; why there is no map; "" where
// neither is a whole model.
std::string heads_of_models_text(const ModelDifference& found);

// layer,head,weights,context,qk,ov: every head in place; nan where nothing can be said.
std::string heads_of_models_csv(const ModelDifference& found);

}  // namespace headscope::cli

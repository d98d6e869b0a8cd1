// What every stage is made from, as data: which stages feed it, which values from outside, which options of the
// request.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/request/request.h"
#include "core/request/stage.h"

namespace headscope {

// Values that come from files, seeds and phrases, not from options alone.
enum class Source {
  query_input,   // x, or the queries of attention alone
  key_input,     // keys' vectors of cross-attention, or the keys of attention alone
  value_input,   // values' vectors likewise
  projection,    // the weights and biases of query, key and value, bias_k and bias_v among them
  head_rule,     // what a model does to the heads of queries and keys: norm, rotary positions
  output,        // the weight and bias of the output projection
  mask,          // which cells are hidden, and what is added
  dropout_mask,  // of --dropout-mask
};

struct Dependency {
  StageId stage{};
  std::vector<StageId> from;  // only those that the request has
  std::vector<Source> sources;
  std::vector<std::string_view> options;  // as REQUEST spells them, without --
  std::vector<Variant> variants;          // known mistakes that change this step
};

// One for every stage, in the order of StageId. Batch and lengths follow from the sources.
const std::vector<Dependency>& dependencies();

// The stages of `changed` sources and of the options and variants in which two requests differ, and all that they feed,
// in the order of StageId.
std::vector<StageId> changed_stages(const Request& before, const Request& now, const std::vector<Source>& changed);

}  // namespace headscope

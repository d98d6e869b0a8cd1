// Queries, keys, values and rules for the passes of attention, from the options of a request.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/score_rule_of.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {

using Options = std::vector<std::pair<std::string, std::string>>;

inline std::string text_of(const Options& options) {
  std::string text;
  for (const auto& [name, value] : options) text += " --" + name + " " + value;
  return text;
}

struct MadeAttention {
  Tensor query, key, value;
  ScoreRule rule;

  ScoreOperands score_operands() const { return {.query = query, .key = key, .rule = rule}; }
  QueryRange all() const { return {{0, query.dim(0)}, {0, query.dim(1)}, {0, query.dim(2)}}; }
};

// `file`, when not empty, is one more mask.
inline MadeAttention made_attention(const MadeSizes& sizes, const Options& options, const MaskFile& file = {}) {
  Request request = alone_request();
  for (const auto& [name, value] : options) find_request_option(name)->set(request, value);
  const Inputs inputs = alone_inputs(sizes);
  MadeAttention made{inputs.query, inputs.key, inputs.value, {}};
  std::vector<MaskFile> files;
  if (!file.values.empty()) {
    files.push_back(file);
    request.mask.push_back({MaskTerm::Kind::file, 0, file.path});
  }
  const auto mask = std::make_shared<const Mask>(
      build_mask(request, files,
                 {.batch = sizes.batch, .heads = sizes.heads, .query_len = sizes.query_len, .key_len = sizes.key_len}));
  made.rule = score_rule_of(request, inputs, mask);
  return made;
}

// Everything that a pass gives for `part`; all bits are set before, so that what is not written shows.
inline AttentionResults empty_results(const MadeAttention& made, const QueryRange& part, bool weights) {
  const auto unwritten = [](const Shape& shape) {
    return tensor_of(shape, std::vector<float>(static_cast<std::size_t>(element_count(shape)), -77.0F));
  };
  const std::int64_t batch = part.batch.size(), heads = part.heads.size(), queries = part.queries.size();
  AttentionResults results;
  if (weights) {
    results.weights = unwritten({batch, heads, queries, made.key.dim(2)});
    if (made.rule.drops()) results.dropped = unwritten({batch, heads, queries, made.key.dim(2)});
  }
  results.statistics = {unwritten({batch, heads, queries}), unwritten({batch, heads, queries})};
  results.context = unwritten({batch, heads, queries, made.value.dim(3)});
  return results;
}

inline AttentionResults attention_of(const Backend& backend, const MadeAttention& made, const QueryRange& part,
                                     bool weights = true) {
  AttentionResults results = empty_results(made, part, weights);
  backend.attention(made.score_operands(), made.value, part, results, CancelToken());
  return results;
}

inline AttentionResults attention_of(const Backend& backend, const MadeAttention& made) {
  return attention_of(backend, made, made.all());
}

// The same by the primitives, one stage after the other.
inline AttentionResults step_by_step(const Backend& backend, const MadeAttention& made) {
  AttentionResults results = empty_results(made, made.all(), true);
  backend.Backend::attention(made.score_operands(), made.value, made.all(), results, CancelToken());
  return results;
}

struct NamedResult {
  const char* name;
  Tensor AttentionResults::*tensor;
};

// Calls visit(name, tensor of a, tensor of b) for what both hold.
template <typename Visit>
void visit_both(const AttentionResults& a, const AttentionResults& b, Visit&& visit) {
  for (const NamedResult& each :
       {NamedResult{"weights", &AttentionResults::weights}, NamedResult{"dropped", &AttentionResults::dropped},
        NamedResult{"context", &AttentionResults::context}}) {
    if (!(a.*each.tensor).empty() && !(b.*each.tensor).empty()) visit(each.name, a.*each.tensor, b.*each.tensor);
  }
  visit("max", a.statistics.max, b.statistics.max);
  visit("sum", a.statistics.sum, b.statistics.sum);
}

// Sizes around the blocks of the kernels, unequal lengths and head sizes, grouped heads.
inline std::vector<MadeSizes> attention_sizes() {
  std::vector<MadeSizes> sizes;
  for (std::int64_t len : {1, 2, 3, 15, 17, 63, 65, 127})
    sizes.push_back({1, len, len, 2, 1, len % 7 + 1, len % 5 + 1});
  sizes.push_back({2, 50, 33, 4, 2, 64, 64});
  sizes.push_back({2, 5, 161, 2, 2, 17, 32});
  sizes.push_back({1, 130, 31, 3, 1, 80, 48});
  sizes.push_back({3, 4, 4, 8, 8, 64, 64});
  sizes.push_back({1, 9, 300, 1, 1, 128, 33});
  return sizes;
}

// Masks alone and together, both orders, fills, policies, dropout.
inline std::vector<Options> attention_rules() {
  return {
      {},
      {{"mask", "causal"}},
      {{"mask", "window:3"}},
      {{"mask", "prefix:2"}},
      {{"mask", "padding:2"}},
      {{"mask", "causal,window:20,padding:1"}, {"causal-align", "bottom-right"}},
      {{"mask", "window:2"}, {"variant", "mask-inverted"}},
      {{"mask", "prefix:3,window:4"}, {"mask-order", "before-scale"}},
      {{"mask", "causal"}, {"mask-order", "before-scale"}, {"mask-fill", "-1e20"}},
      {{"mask", "causal"}, {"mask-fill", "-1e20"}},
      {{"mask", "window:1"}, {"mask-fill", "-2.5"}},
      {{"mask", "window:1"}, {"mask-fill", "0"}, {"scale", "-0.3"}},
      {{"mask", "padding:999"}},
      {{"mask", "padding:999"}, {"mask-fill", "-1e20"}},
      {{"mask", "padding:40,causal"}, {"fully-masked", "zero"}, {"causal-align", "bottom-right"}},
      {{"mask", "padding:999"}, {"fully-masked", "uniform"}},
      {{"mask", "causal"}, {"variant", "mask-after-softmax"}},
      {{"mask", "padding:60"}, {"variant", "mask-after-softmax"}, {"fully-masked", "uniform"}},
      {{"softcap", "0.7"}, {"mask", "causal"}},
      {{"softcap", "30"}},
      {{"softcap", "0.7"}, {"softcap-order", "after-mask"}, {"mask", "alibi,causal"}},
      {{"softcap", "0.7"}, {"softcap-order", "after-mask"}, {"mask", "alibi,window:3"}, {"mask-fill", "-2"}},
      {{"mask", "causal,alibi"}, {"past", "3"}},
      {{"scale", "0"}, {"mask", "causal"}},
      {{"scale", "100"}, {"mask", "prefix:5"}},
      {{"mask", "causal"}, {"dropout", "0.3"}, {"dropout-seed", "7"}},
      {{"mask", "causal"}, {"dropout", "1"}, {"fully-masked", "uniform"}},
      {{"mask", "padding:999"}, {"dropout", "0.5"}},
  };
}

}  // namespace headscope

#include "core/attention/reuse.h"

#include <algorithm>
#include <cstring>

#include "core/attention/dependencies.h"
#include "core/attention/operation_text.h"
#include "core/attention/patches.h"
#include "core/attention/stage_arrays.h"
#include "core/model/row_norm.h"
#include "core/request/mask_terms.h"
#include "core/request/rows_apart.h"

namespace headscope {
namespace {

bool same_values(const Tensor& a, const Tensor& b) {
  if (same_storage(a, b)) return true;
  if (!(a.shape() == b.shape()) || !a.dense() || !b.dense()) return a.empty() && b.empty();
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

bool same_linear(const Linear& a, const Linear& b) {
  return same_storage(a.weight, b.weight) && same_storage(a.bias, b.bias);
}

bool same_projection(const LayerWeights& a, const LayerWeights& b) {
  return a.qkv_layout == b.qkv_layout && same_linear(a.qkv, b.qkv) && same_linear(a.query, b.query) &&
         same_linear(a.key, b.key) && same_linear(a.value, b.value) && same_linear(a.position_key, b.position_key) &&
         same_linear(a.position_query, b.position_query) && same_storage(a.bias_k, b.bias_k) &&
         same_storage(a.bias_v, b.bias_v);
}

}  // namespace

bool same_layer(const LayerWeights& a, const LayerWeights& b) {
  return same_projection(a, b) && same_linear(a.output, b.output) && same_storage(a.sinks, b.sinks);
}

namespace {

bool same_norm(const RowNorm* a, const RowNorm* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->kind == b->kind && a->eps == b->eps && a->plus_one == b->plus_one && a->scales == b->scales &&
         same_storage(a->weights.weight, b->weights.weight) && same_storage(a->weights.bias, b->weights.bias);
}

bool same_mask(const Mask& a, const Mask& b) {
  return a.hidden == b.hidden && same_values(a.added, b.added);
}

// How many positions at the front of [batch, len, features] have the same vectors in both.
std::int64_t equal_rows(const Tensor& a, const Tensor& b) {
  if (a.rank() != 3 || b.rank() != 3 || a.dim(0) != b.dim(0) || a.dim(2) != b.dim(2) || !a.dense() || !b.dense()) {
    return 0;
  }
  const std::int64_t features = a.dim(2);
  const std::size_t bytes = static_cast<std::size_t>(features) * sizeof(float);
  std::int64_t same = std::min(a.dim(1), b.dim(1));
  for (std::int64_t n = 0; n < a.dim(0); ++n) {
    const float* left = a.data() + n * a.dim(1) * features;
    const float* right = b.data() + n * b.dim(1) * features;
    std::int64_t i = 0;
    while (i < same && std::memcmp(left + i * features, right + i * features, bytes) == 0) ++i;
    same = i;
  }
  return same;
}

// Whether every query sees only keys at its own place or before it, but for a prefix of `open` keys that all see, and
// what it sees does not depend on how many keys follow: as the terms of the mask say, the model's own among them, and
// as the keys that were read lie. What options do to it stands in their rows.
bool looks_back_only(const Request& request, const Inputs& inputs, std::int64_t& open) {
  const std::vector<MaskTerm> terms = mask_terms_of(request, inputs);
  const bool of_place_only = std::all_of(terms.begin(), terms.end(),
                                         [](const MaskTerm& term) { return mask_term_info(term.kind).of_place_only; });
  const MaskRule rule = mask_rule_of(terms);
  open = rule.open;
  const bool own_keys = inputs.key_x.empty() && inputs.weights.bias_k.empty() && inputs.query_len == inputs.key_len;
  return of_place_only && rule.ordered() && own_keys;
}

}  // namespace

Reuse::Reuse(std::shared_ptr<const Trace> previous, const Request& now, const Inputs& inputs, const Mask& mask) {
  if (previous == nullptr) return;
  const Inputs& before = *previous->inputs;
  std::vector<Source> changed;
  const auto note = [&](Source source, bool same) {
    if (!same) changed.push_back(source);
  };
  note(Source::query_input, same_values(before.x, inputs.x) && same_values(before.query, inputs.query));
  note(Source::key_input, same_values(before.key_x, inputs.key_x) && same_values(before.key, inputs.key));
  note(Source::value_input, same_values(before.value_x, inputs.value_x) && same_values(before.value, inputs.value));
  note(Source::projection, same_projection(before.weights, inputs.weights));
  note(Source::head_rule, before.head_rule == inputs.head_rule);
  note(Source::output, same_linear(before.weights.output, inputs.weights.output));
  note(Source::output_norm, same_norm(before.output_norm.get(), inputs.output_norm.get()));
  note(Source::sinks, same_storage(before.weights.sinks, inputs.weights.sinks));
  note(Source::mask, same_mask(previous->terms(), mask));
  note(Source::dropout_mask, same_values(before.dropout_mask, inputs.dropout_mask));
  // The same patches and arrays may find other numbers.
  std::vector<StageId> unlike = unlike_patches(previous->request, before, now, inputs);
  for (const StageId stage : unlike_arrays(previous->request, before, now, inputs)) unlike.push_back(stage);
  changed_ = changed_stages(previous->request, now, changed, unlike);
  previous_ = std::move(previous);

  apart_ = std::min(rows_apart(now), rows_apart(previous_->request));
  if (apart_ < RowsApart::projections) {
    otherwise_ = changed_;
    return;
  }

  // With the same inputs and masks, which stages would a request like this change? None: only the tokens did.
  std::vector<Source> but_tokens = changed;
  std::erase(but_tokens, Source::query_input);
  std::erase(but_tokens, Source::mask);
  otherwise_ = changed_stages(previous_->request, now, but_tokens);
  const auto stays = [&](StageId stage) {
    return std::find(otherwise_.begin(), otherwise_.end(), stage) == otherwise_.end();
  };
  if (!stays(StageId::query) || !stays(StageId::key) || !stays(StageId::value) || !inputs.query.empty()) return;
  same_positions_ = equal_rows(before.x, inputs.x);
  // Of latents: equal ones of queries do not say that those of keys are.
  if (inputs.head_rule != nullptr && !inputs.key_x.empty()) {
    same_positions_ =
        std::min({same_positions_, equal_rows(before.key_x, inputs.key_x), equal_rows(before.value_x, inputs.value_x)});
  }
  std::int64_t open = 0;
  const bool same_terms = mask_terms_of(previous_->request, before) == mask_terms_of(now, inputs) &&
                          previous_->request.causal_align == now.causal_align && previous_->request.past == now.past;
  if (apart_ >= RowsApart::context && same_terms && stays(StageId::context) && looks_back_only(now, inputs, open) &&
      before.query_len == before.key_len && same_positions_ >= open) {
    same_queries_ = same_positions_;
  }
}

const Stage* Reuse::unchanged(StageId stage) const {
  if (previous_ == nullptr || std::find(changed_.begin(), changed_.end(), stage) != changed_.end()) return nullptr;
  return previous_->find(stage);
}

std::int64_t Reuse::same_rows(StageId stage) const {
  if (previous_ == nullptr || std::find(otherwise_.begin(), otherwise_.end(), stage) != otherwise_.end()) return 0;
  if (stage < StageId::raw_scores) return same_positions_;
  return stage >= StageId::concat && apart_ < RowsApart::everywhere ? 0 : same_queries_;
}

}  // namespace headscope

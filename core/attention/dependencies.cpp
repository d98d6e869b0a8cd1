#include "core/attention/dependencies.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

using S = StageId;
using V = Variant;

bool differs(const Dependency& step, const Request& before, const Request& now) {
  const bool option = std::any_of(step.options.begin(), step.options.end(), [&](std::string_view name) {
    const RequestOption* known = find_request_option(name);
    HEADSCOPE_ASSERT(known != nullptr, std::string(name));
    return known->get(before) != known->get(now);
  });
  const bool mistake = std::any_of(step.variants.begin(), step.variants.end(), [&](Variant variant) {
    return has_variant(before, variant) != has_variant(now, variant);
  });
  return option || mistake;
}

// Edits of the stage itself; those of weights change its sources.
bool edits_differ(StageId stage, const Request& before, const Request& now) {
  if (before.edits.empty() && now.edits.empty()) return false;
  const auto own = [stage](const Request& request) {
    std::vector<NumberEdit> edits;
    for (const NumberEdit& edit : request.edits) {
      if (edit.on && edit.tensor == stage_name(stage)) edits.push_back(edit);
    }
    return edits;
  };
  return own(before) != own(now);
}

}  // namespace

const std::vector<Dependency>& dependencies() {
  static const std::vector<Dependency> table = {
      {S::input, {}, {Source::query_input}, {}, {}},
      {S::key_input, {}, {Source::key_input}, {}, {}},
      {S::value_input, {}, {Source::value_input}, {}, {}},
      {S::qkv, {S::input}, {Source::projection}, {}, {}},
      {S::qkv_split,
       {S::qkv},
       {},
       {"heads", "kv-heads", "qkv-layout"},
       {V::qkv_blocked_as_per_head, V::qkv_per_head_as_blocked}},
      {S::qkv_heads, {S::qkv_split}, {}, {}, {}},
      {S::query_proj,
       {S::input, S::qkv},
       {Source::projection},
       {"heads", "kv-heads", "qkv-layout"},
       {V::qkv_blocked_as_per_head, V::qkv_per_head_as_blocked}},
      {S::key_proj,
       {S::input, S::key_input, S::qkv},
       {Source::projection},
       {"heads", "kv-heads", "qkv-layout"},
       {V::qkv_blocked_as_per_head, V::qkv_per_head_as_blocked}},
      {S::value_proj,
       {S::input, S::value_input, S::qkv},
       {Source::projection},
       {"heads", "kv-heads", "qkv-layout"},
       {V::qkv_blocked_as_per_head, V::qkv_per_head_as_blocked}},
      {S::query,
       {S::qkv_heads, S::query_proj},
       {Source::query_input, Source::head_rule},
       {"heads", "kv-heads", "scale-query"},
       {}},
      {S::key,
       {S::qkv_heads, S::key_proj},
       {Source::key_input, Source::projection, Source::head_rule},
       {"heads", "kv-heads", "scale-key"},
       {}},
      {S::value, {S::qkv_heads, S::value_proj}, {Source::value_input, Source::projection}, {"heads", "kv-heads"}, {}},
      {S::raw_scores, {S::query, S::key}, {}, {}, {V::key_not_transposed}},
      {S::scores, {S::raw_scores}, {}, {"scale", "mask-order"}, {V::no_scale, V::scale_by_d_model}},
      {S::capped_scores, {S::scores}, {}, {"softcap"}, {}},
      {S::masked_scores,
       {S::scores, S::capped_scores},
       {Source::mask},
       {"mask-order", "mask-fill"},
       {V::mask_inverted, V::mask_after_softmax}},
      {S::weights,
       {S::masked_scores},
       {Source::mask},
       {"fully-masked", "freeze"},
       {V::softmax_over_queries, V::mask_after_softmax}},
      {S::dropped_weights, {S::weights}, {Source::dropout_mask}, {"dropout", "dropout-seed"}, {}},
      {S::context, {S::weights, S::dropped_weights, S::value}, {}, {"ablate"}, {}},
      {S::concat, {S::context}, {}, {"merge"}, {}},
      {S::output, {S::concat}, {Source::output}, {}, {}},
  };
  return table;
}

std::vector<StageId> changed_stages(const Request& before, const Request& now, const std::vector<Source>& changed) {
  std::vector<StageId> result;
  const auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  // Before the scale the mask's work shows in `scores` already.
  const bool early_mask = before.mask_order == MaskOrder::before_scale || now.mask_order == MaskOrder::before_scale;
  for (const Dependency& step : dependencies()) {
    bool dirty = differs(step, before, now) || edits_differ(step.stage, before, now);
    for (Source source : step.sources) dirty = dirty || has(changed, source);
    for (StageId from : step.from) dirty = dirty || has(result, from);
    if (step.stage == StageId::scores && early_mask) {
      dirty = dirty || has(changed, Source::mask) || before.mask_fill != now.mask_fill ||
              has_variant(before, Variant::mask_after_softmax) != has_variant(now, Variant::mask_after_softmax);
    }
    if (dirty) result.push_back(step.stage);
  }
  return result;
}

}  // namespace headscope

#include "core/attention/trace.h"

#include <algorithm>
#include <set>

#include "core/base/assert.h"
#include "core/request/mask_terms.h"

namespace headscope {

const Stage* Trace::find(StageId id) const {
  const auto found = std::find_if(stages.begin(), stages.end(), [id](const Stage& stage) { return stage.id == id; });
  return found == stages.end() ? nullptr : &*found;
}

const Tensor& Trace::tensor(StageId id) const {
  const Stage* stage = find(id);
  HEADSCOPE_ASSERT(stage != nullptr, "this request has no stage " + std::string(stage_name(id)));
  return stage->tensor;
}

std::vector<std::string> Trace::query_labels() const {
  return inputs->tokens;
}

std::vector<std::string> Trace::key_labels() const {
  std::vector<std::string> labels = inputs->key_tokens;
  if (key_len() > inputs->key_len) labels.push_back("bias_k");
  return labels;
}

Provenance provenance_of(Merge merge, std::int64_t heads, std::int64_t query_len, std::int64_t value_head_dim,
                         std::int64_t i, std::int64_t d) {
  HEADSCOPE_ASSERT(0 <= i && i < query_len && 0 <= d && d < heads * value_head_dim,
                   to_string(Shape{i, d}) + " of concat " + to_string(Shape{query_len, heads * value_head_dim}));
  if (merge == Merge::transpose) return {d / value_head_dim, i, d % value_head_dim};
  // The memory of context is [heads, query_len, value_head_dim], read as if it were [query_len, heads *
  // value_head_dim].
  const std::int64_t place = i * heads * value_head_dim + d;
  return {place / (query_len * value_head_dim), place / value_head_dim % query_len, place % value_head_dim};
}

MergeReport merge_report(const Request& request, std::int64_t heads, std::int64_t query_len,
                         std::int64_t value_head_dim) {
  MergeReport report;
  if (request.merge == Merge::transpose) {
    report.heads_per_row = heads;
    return report;
  }
  // Under prefix:P the first P tokens see the same keys, so only a later token brings what row i must not know.
  const MaskRule rule = mask_rule_of(request.mask);
  const bool ordered = rule.ordered() && !has_variant(request, Variant::mask_inverted);
  const std::int64_t open_prefix = std::min(query_len, rule.open);

  for (std::int64_t i = 0; i < query_len; ++i) {
    std::set<std::int64_t> tokens, row_heads;
    for (std::int64_t block = 0; block < heads; ++block) {
      const Provenance from = provenance_of(request.merge, heads, query_len, value_head_dim, i, block * value_head_dim);
      tokens.insert(from.position);
      row_heads.insert(from.head);
      if (ordered && !report.future_leaks && from.position > i && from.position >= open_prefix) {
        report.future_leaks = true;
        report.first_leaking_row = i;
        report.leaked_token = from.position;
      }
    }
    report.tokens_per_row = std::max(report.tokens_per_row, static_cast<std::int64_t>(tokens.size()));
    report.heads_per_row = std::max(report.heads_per_row, static_cast<std::int64_t>(row_heads.size()));
  }
  return report;
}

}  // namespace headscope

#include "core/attention/score_rule_of.h"

#include <cmath>
#include <utility>

namespace headscope {

double scale_of(const Request& request, const Inputs& inputs) {
  if (has_variant(request, Variant::no_scale)) return 1.0;
  if (has_variant(request, Variant::scale_by_d_model)) {
    const bool alone = !inputs.query.empty();
    return 1.0 / std::sqrt(static_cast<double>(alone ? inputs.num_heads * inputs.head_dim : inputs.d_model));
  }
  if (request.scale) return *request.scale;
  return inputs.score_scale.value_or(1.0 / std::sqrt(static_cast<double>(inputs.head_dim)));
}

std::optional<double> softcap_of(const Request& request, const Inputs& inputs) {
  return request.softcap ? request.softcap : inputs.softcap;
}

ScoreRule score_rule_of(const Request& request, const Inputs& inputs, std::shared_ptr<const Mask> mask) {
  ScoreRule rule;
  rule.scale = scale_of(request, inputs);
  rule.softcap = softcap_of(request, inputs);
  rule.softcap_order = request.softcap_order;
  rule.mask = std::move(mask);
  rule.mask_order = request.mask_order;
  rule.mask_fill = request.mask_fill;
  rule.mask_after_softmax = has_variant(request, Variant::mask_after_softmax);
  rule.fully_masked = request.fully_masked;
  rule.dropout = request.dropout;
  rule.dropout_seed = request.dropout_seed;
  rule.dropout_mask = inputs.dropout_mask;
  // Normalised down the columns, a row has no softmax that a sink could join.
  if (!has_variant(request, Variant::softmax_over_queries)) rule.sinks = inputs.weights.sinks;
  return rule;
}

}  // namespace headscope

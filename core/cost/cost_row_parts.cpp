#include "core/cost/cost_row_parts.h"

#include <utility>

#include "core/attention/trace.h"
#include "core/cost/layer_sizes.h"
#include "core/model/inputs.h"
#include "core/request/stage.h"

namespace headscope::cost_parts {

CostProduct times(double factor, std::vector<CostSize> sizes) {
  return {factor, std::move(sizes)};
}

CostProduct times(double factor, CostProduct product) {
  product.factor *= factor;
  return product;
}

CostProduct product(std::vector<CostSize> sizes) {
  return {1, std::move(sizes)};
}

MovedNumbers weights(CostTensor tensor, std::vector<CostSize> sizes) {
  return {product(std::move(sizes)), tensor, false};
}

MovedNumbers moved(StageId stage) {
  const bool scores =
      is_score_like(stage) && stage != StageId::c2p && stage != StageId::p2c && stage != StageId::captured_weights;
  return {numbers_of(stage), CostTensor::stage, scores};
}

MovedNumbers numbers(CostProduct count) {
  return {std::move(count), CostTensor::stage, false};
}

bool is_separate(const CostFacts& of) {
  return of.trace.find(StageId::qkv) == nullptr && of.trace.inputs->query.empty();
}

bool is_cross(const CostFacts& of) {
  return of.trace.find(StageId::key_input) != nullptr;
}

const HeadRule* rule_of(const CostFacts& of) {
  return of.trace.inputs->head_rule.get();
}

bool has_past(const CostFacts& of) {
  return rule_of(of) != nullptr && rule_of(of)->past != nullptr;
}

bool has_extra_key(const CostFacts& of) {
  return !of.trace.inputs->weights.bias_k.empty();
}

}  // namespace headscope::cost_parts

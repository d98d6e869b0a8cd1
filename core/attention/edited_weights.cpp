#include "core/attention/edited_weights.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/attention/interventions.h"
#include "core/attention/reuse.h"
#include "core/base/assert.h"
#include "core/model/linear_names.h"

namespace headscope {
namespace {

// Where a tensor of the file lies in LayerWeights: one may be the bias of three matrices.
struct Slot {
  std::string name;
  Tensor* tensor = nullptr;
  bool transposed = false;        // the file's axes are the other way round
  bool extra_key = false;         // bias_k and bias_v: [1, 1, features] in the file
  std::int64_t before = 0;        // numbers of the file's vector that come before these
  const Linear* order = nullptr;  // whose rows stand in another order in the file; or null
};

// The numbers in the file's own axes and order, and the reverse.
Tensor in_file(const Slot& slot) {
  const Tensor tensor = slot.transposed ? slot.tensor->permuted({1, 0}) : *slot.tensor;
  return slot.order == nullptr ? tensor : rows_as_in_file(*slot.order, tensor);
}

Tensor as_used(const Slot& slot, const Tensor& file) {
  const Tensor tensor = slot.order == nullptr ? file : rows_as_used(*slot.order, file);
  return slot.transposed ? tensor.permuted({1, 0}) : tensor;
}

std::vector<Slot> slots_of(LayerWeights& weights) {
  std::vector<Slot> slots;
  const auto add = [&](Linear& linear, std::int64_t before = 0) {
    if (linear.empty()) return;
    const auto [weight, bias] = file_names_of(weights, linear);
    const Linear* order = linear.paired_head == 0 ? nullptr : &linear;
    slots.push_back({weight, &linear.weight, is_transposed(linear.weight), false, 0, order});
    if (!linear.bias.empty()) slots.push_back({bias, &linear.bias, false, false, before, order});
  };
  add(weights.qkv);
  std::int64_t before = 0;
  for (Linear* linear : {&weights.query, &weights.key, &weights.value}) {
    const bool shared = linear->bias_name == "in_proj_bias";
    add(*linear, shared ? before : 0);
    if (shared) before += linear->bias.size();
  }
  for (const auto& [name, bias] : {std::pair{"bias_k", &weights.bias_k}, {"bias_v", &weights.bias_v}}) {
    if (!bias->empty()) slots.push_back({name, bias, false, true, 0, nullptr});
  }
  add(weights.output);
  return slots;
}

void edit_slot(const Slot& slot, const std::vector<NumberEdit>& edits) {
  std::vector<NumberEdit> own;
  for (NumberEdit edit : edits) {
    if (slot.extra_key) edit.index.erase(edit.index.begin(), edit.index.begin() + 2);
    if (slot.tensor->rank() == 1) {
      edit.index[0] -= slot.before;
      if (edit.index[0] < 0 || edit.index[0] >= slot.tensor->size()) continue;
    }
    own.push_back(std::move(edit));
  }
  if (own.empty()) return;
  *slot.tensor = as_used(slot, with_edits(own, in_file(slot)));
}

std::vector<NumberEdit> weight_edits(const Request& request, std::int64_t layer) {
  std::vector<NumberEdit> edits;
  for (const NumberEdit& edit : request.edits) {
    const bool here = edit.on && edit.layer.value_or(layer) == layer;
    if (here && !stage_named(edit.tensor)) edits.push_back(edit);
  }
  return edits;
}

}  // namespace

std::vector<WeightTensor> weight_tensors(const LayerWeights& weights) {
  LayerWeights copy = weights;
  std::vector<WeightTensor> tensors;
  for (const Slot& slot : slots_of(copy)) {
    Tensor tensor = in_file(slot);
    if (slot.extra_key) tensor = tensor.reshaped({1, 1, tensor.size()}, {Axis::batch, Axis::position, Axis::feature});
    const auto known =
        std::find_if(tensors.begin(), tensors.end(), [&](const WeightTensor& each) { return each.name == slot.name; });
    if (known == tensors.end()) {
      tensors.push_back({slot.name, tensor});
      continue;
    }
    std::vector<float> values = known->tensor.values();
    const std::vector<float> more = tensor.values();
    values.insert(values.end(), more.begin(), more.end());
    const auto count = static_cast<std::int64_t>(values.size());
    known->tensor = Tensor::of({count}, {Axis::feature}, std::move(values));
  }
  return tensors;
}

LayerWeights with_edited_tensors(const LayerWeights& weights, const std::vector<NumberEdit>& edits) {
  LayerWeights result = weights;
  for (const Slot& slot : slots_of(result)) {
    std::vector<NumberEdit> own;
    for (const NumberEdit& edit : edits) {
      if (edit.tensor == slot.name) own.push_back(edit);
    }
    if (!own.empty()) edit_slot(slot, own);
  }
  return result;
}

std::shared_ptr<const Inputs> with_edited_weights(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                                  const Request* before, const Inputs* previous) {
  const std::vector<NumberEdit> edits = weight_edits(request, inputs->layer);
  if (edits.empty()) return inputs;
  const auto result = std::make_shared<Inputs>(*inputs);
  const bool same = previous != nullptr && previous->unedited != nullptr && before != nullptr &&
                    same_layer(*previous->unedited, inputs->weights) && weight_edits(*before, inputs->layer) == edits;
  if (same) {
    result->unedited = previous->unedited;
    result->weights = previous->weights;
    result->weights.num_heads = inputs->weights.num_heads;
    return result;
  }
  result->unedited = std::make_shared<const LayerWeights>(inputs->weights);
  result->weights = with_edited_tensors(inputs->weights, edits);
  return result;
}

}  // namespace headscope

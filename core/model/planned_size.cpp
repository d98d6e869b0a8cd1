#include "core/model/planned_size.h"

#include <set>
#include <string>
#include <vector>

#include "core/model/weight_plan.h"

namespace headscope {
namespace {

std::int64_t planned_numbers(const PlannedTensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  return count;
}

// Of the matrices of one expert.
std::int64_t planned_numbers(const PlannedBlock::Expert& expert) {
  std::int64_t count = 0;
  for (const PlannedModule* module : {&expert.gate, &expert.up, &expert.down}) {
    if (!module->weight.empty()) count += planned_numbers(module->weight);
  }
  return count;
}

// Of all experts of a layer.
std::int64_t expert_numbers(const PlannedBlock& block) {
  std::int64_t count = planned_numbers(block.all_experts);
  for (const PlannedBlock::Expert& expert : block.experts) count += planned_numbers(expert);
  for (const PlannedModule* module : {&block.stacked_gate_up, &block.stacked_down}) {
    if (!module->weight.empty()) count += planned_numbers(module->weight);
  }
  return count;
}

void add_layer(const ModelConfig& config, std::int64_t layer, std::set<std::string>& seen, PlannedSize& size) {
  const Architecture& architecture = config.architecture;
  const PlannedBlock block = planned_block(architecture, *config.family, layer);
  for (const PlannedTensor& tensor : block.tensors()) {
    if (seen.insert(tensor.name).second) size.parameters += planned_numbers(tensor);
    if (tensor.shape.size() > 1) size.multiply_adds += planned_numbers(tensor);
  }
  if (architecture.has_experts(layer)) {
    const std::int64_t all = expert_numbers(block);
    size.multiply_adds -= all - all / architecture.mixture->experts * architecture.mixture->chosen;
  }
  size.cached += architecture.num_kv_heads * (architecture.head_dim + architecture.value_features());
}

}  // namespace

PlannedSize planned_size(const ModelConfig& config) {
  const Architecture& architecture = config.architecture;
  PlannedSize size;
  std::set<std::string> seen;
  for (const PlannedTensor& tensor : planned_body(architecture, *config.family).tensors()) {
    if (seen.insert(tensor.name).second) size.parameters += planned_numbers(tensor);
  }
  for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) add_layer(config, layer, seen, size);
  const PlannedHead head = planned_head(architecture, *config.family);
  for (const PlannedTensor& tensor : head.tensors()) {
    const bool tied = architecture.tied_embeddings && tensor.name == head.decoder.weight.name;
    if (!tied && seen.insert(tensor.name).second) size.parameters += planned_numbers(tensor);
    if (tensor.shape.size() > 1) size.multiply_adds += planned_numbers(tensor);
  }
  return size;
}

}  // namespace headscope

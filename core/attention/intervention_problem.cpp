// find_problem of interventions, once files are read: places that are not there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/edited_weights.h"
#include "core/attention/intervention_problem.h"
#include "core/attention/interventions.h"
#include "core/attention/patches.h"
#include "core/attention/stage_arrays.h"
#include "core/model/checkpoint.h"
#include "core/request/intervention_kinds.h"
#include "core/request/problem_checks.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

using MaybeProblem = std::optional<Problem>;

// One byte a cell of the scores.
constexpr double kLargestPaintedMask = 268435456.0;

// Why an intervention cannot be: title and detail.
using Fault = std::pair<std::string, std::string>;

// What the places of a request are held against.
struct Sizes {
  const Request& request;
  const Inputs& inputs;
  std::int64_t layers;
};

std::string layers_text(std::int64_t layers) {
  return layers == 1 ? "This model has one layer, number 0."
                     : fmt::format("The {} layers are 0 to {}.", layers, layers - 1);
}

std::string heads_text(std::int64_t heads) {
  return fmt::format("The {} heads are 0 to {}.", heads, heads - 1);
}

// The tensors of a layer's weights, as edits name them.
std::vector<WeightTensor> tensors_of(const Inputs& inputs, std::int64_t layer) {
  if (inputs.checkpoint != nullptr && layer != inputs.layer) {
    return weight_tensors(inputs.checkpoint->block(layer).attention);
  }
  return inputs.weights.empty() ? std::vector<WeightTensor>() : weight_tensors(inputs.weights);
}

// Why a name that is no tensor of the layer's attention cannot be edited: title and detail.
Fault name_fault(const Inputs& inputs, const std::string& name, std::int64_t layer, const std::string& names) {
  if (names.empty()) return {"there is no " + name, "It is no stage, and attention alone has no weights."};
  const Checkpoint* checkpoint = inputs.checkpoint.get();
  if (checkpoint == nullptr || !checkpoint->holds(name)) {
    return {"there is no " + name, fmt::format("It is no stage, and the weights are {}.", names)};
  }
  for (std::int64_t other = 0; other < checkpoint->architecture().num_layers; ++other) {
    for (const WeightTensor& tensor : weight_tensors(checkpoint->block(other).attention)) {
      if (tensor.name != name) continue;
      return {fmt::format("there is no {} in layer {}", name, layer),
              fmt::format("It is one of layer {}: write {}/{}. Here the weights are {}.", other, other, name, names)};
    }
  }
  return {name + " cannot be edited",
          fmt::format("Of a model the tensors of attention can: {}. Norms, MLP, embeddings and output head stay as the "
                      "files have them.",
                      names)};
}

template <typename Item>
std::optional<Fault> fault_of(const InterventionKind<Item>& kind, const Item& item, const Sizes& sizes) {
  const std::optional<LayerHead> place = place_of_item(item);
  if (!place) return {};
  if (place->layer < 0 || place->layer >= sizes.layers) {
    return Fault(fmt::format("there is no layer {}", place->layer), layers_text(sizes.layers));
  }
  const std::int64_t heads = kind.of_key_heads ? sizes.inputs.num_kv_heads : sizes.inputs.num_heads;
  if (place->head < 0 || place->head >= heads) {
    return Fault(fmt::format("there is no head {}", place->head), heads_text(heads));
  }
  return {};
}

std::optional<Fault> fault_of(const InterventionKind<HeadFactor>& kind, const HeadFactor& factor, const Sizes& sizes) {
  if (!std::isfinite(factor.factor)) return Fault("the factor is not a finite number", "It multiplies every feature.");
  return fault_of<HeadFactor>(kind, factor, sizes);
}

std::optional<Fault> fault_of(const InterventionKind<NumberEdit>&, const NumberEdit& edit, const Sizes& sizes) {
  const auto& [request, inputs, layers] = sizes;
  const std::int64_t layer = edit.layer.value_or(inputs.layer);
  if (layer < 0 || layer >= layers) return Fault(fmt::format("there is no layer {}", layer), layers_text(layers));
  std::optional<Shape> shape;
  if (const auto stage = stage_named(edit.tensor)) {
    shape = stage_shape(request, inputs, *stage);
    if (!shape) {
      return Fault(fmt::format("this request has no stage {}", edit.tensor),
                   "Which stages there are follows from projections, masks and dropout.");
    }
  } else {
    const std::vector<WeightTensor> tensors = tensors_of(inputs, layer);
    std::string names;
    for (const WeightTensor& tensor : tensors) {
      names += (names.empty() ? "" : ", ") + tensor.name;
      if (tensor.name == edit.tensor) shape = tensor.tensor.shape();
    }
    if (!shape) {
      return name_fault(inputs, edit.tensor, layer, names);
    }
  }
  if (static_cast<int>(edit.index.size()) != shape->count) {
    return Fault(fmt::format("{} has {} axes", edit.tensor, shape->count),
                 fmt::format("Found {} indices for {}.", edit.index.size(), to_string(*shape)));
  }
  for (int axis = 0; axis < shape->count; ++axis) {
    const std::int64_t at = edit.index[static_cast<std::size_t>(axis)];
    if (at >= 0 && at < (*shape)[axis]) continue;
    return Fault(fmt::format("{}[{}] is outside", edit.tensor, fmt::join(edit.index, ", ")),
                 fmt::format("{} is {}; places count from 0.", edit.tensor, to_string(*shape)));
  }
  if (std::isnan(edit.value)) return Fault("an edit holds no number", "Found nan.");
  return {};
}

// Why a stage that is not there is not.
Fault stage_fault(const Inputs& inputs, std::string_view stage) {
  if (stage == kStreamPatch) {
    return Fault("one layer has no stream", "What enters a layer of a model is its stream; here it is input.");
  }
  if (stage == kMlpPatch) {
    return inputs.checkpoint == nullptr
               ? Fault("one layer has no mlp_out", "An MLP follows attention in a layer of a model.")
               : Fault("this model has no mlp_out", "Its layers have no MLP.");
  }
  return Fault(fmt::format("this request has no stage {}", stage),
               "Which stages there are follows from projections, masks and dropout.");
}

std::optional<Fault> fault_of(const InterventionKind<PatchedStage>&, const PatchedStage& patch, const Sizes& sizes) {
  const auto& [request, inputs, layers] = sizes;
  const std::int64_t layer = patch.layer.value_or(inputs.layer);
  if (layer < 0 || layer >= layers) return Fault(fmt::format("there is no layer {}", layer), layers_text(layers));
  const std::optional<Shape> shape = patched_shape(request, inputs, patch.stage);
  if (!shape) return stage_fault(inputs, patch.stage);
  const std::vector<StageAxis>& axes = stage_info(stage_named(patch.stage).value_or(StageId::concat)).axes;
  for (int axis = 0; axis < shape->count; ++axis) {
    const Axis kind = axes[static_cast<std::size_t>(axis)].axis;
    const std::int64_t count = (*shape)[axis];
    if (kind == Axis::head && patch.head && *patch.head >= count) {
      return Fault(fmt::format("{} has no head {}", patch.stage, *patch.head), heads_text(count));
    }
    const bool row = kind == Axis::query || kind == Axis::position;
    if (row && patch.position && *patch.position >= count) {
      return Fault(fmt::format("{} has no position {}", patch.stage, *patch.position),
                   fmt::format("The {} positions are 0 to {}.", count, count - 1));
    }
  }
  // Of a run that was found before: with known mistakes stages may have other sizes.
  for (const Patches::Stage& found :
       inputs.patches == nullptr ? std::vector<Patches::Stage>() : inputs.patches->stages) {
    if (found.layer != layer || found.name != patch.stage) continue;
    if (patch_fits(patch.stage, found.numbers.shape(), *shape)) continue;
    return Fault(fmt::format("{} has another size in A", patch.stage),
                 fmt::format("It is {} there and {} here.", to_string(found.numbers.shape()), to_string(*shape)));
  }
  return {};
}

std::optional<Fault> fault_of(const InterventionKind<StageArray>&, const StageArray& array, const Sizes& sizes) {
  const auto& [request, inputs, layers] = sizes;
  const std::int64_t layer = array.layer.value_or(inputs.layer);
  if (layer < 0 || layer >= layers) return Fault(fmt::format("there is no layer {}", layer), layers_text(layers));
  const std::string_view stage = changed_stage(array, inputs);
  const std::optional<Shape> shape = patched_shape(request, inputs, stage);
  if (!shape) return stage_fault(inputs, array.stage);
  std::optional<ArrayFault> fault = array_fault(array, inputs, *shape);
  if (!fault) return {};
  return Fault(std::move(fault->title), std::move(fault->detail));
}

// Offers to switch off the first that cannot be.
template <typename Item>
MaybeProblem problem_of(const InterventionKind<Item>& kind, const std::vector<Item>& list, const Sizes& sizes) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!list[k].on) continue;
    std::optional<Fault> fault = fault_of(kind, list[k], sizes);
    if (!fault) continue;
    std::vector<Item> off = list;
    off[k].on = false;
    const char* option = kind.option.name;
    return Problem{
        option, std::move(fault->first), std::move(fault->second), {{"switch it off", option, terms_text(kind, off)}}};
  }
  return {};
}

}  // namespace

MaybeProblem intervention_problem(const Request& request, const Inputs& inputs) {
  const std::int64_t layers = inputs.checkpoint == nullptr ? std::max<std::int64_t>(1, inputs.layer + 1)
                                                           : inputs.checkpoint->architecture().num_layers;
  const Sizes sizes{request, inputs, layers};
  MaybeProblem problem;
  visit_for_faults(request, [&](const auto& kind, const auto& list) {
    // Heads that are off were looked at before.
    if (!problem && kind.effect != InterventionEffect::heads) problem = problem_of(kind, list, sizes);
  });
  if (problem) return problem;
  const double cells = static_cast<double>(inputs.query_len) * static_cast<double>(inputs.key_len);
  if (any_painted(request) && cells > kLargestPaintedMask) {
    return Problem{"paint",
                   "the scores are too large to paint on",
                   fmt::format("A painted mask takes {}; at most {} are used. Use padding, window or prefix.",
                               gibibytes_text(cells), gibibytes_text(kLargestPaintedMask)),
                   {{"nothing painted", "paint", "none"}}};
  }
  return {};
}

}  // namespace headscope

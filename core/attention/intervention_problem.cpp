// find_problem of interventions, once files are read: places that are not there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/edited_weights.h"
#include "core/attention/intervention_problem.h"
#include "core/attention/interventions.h"
#include "core/model/checkpoint.h"
#include "core/request/intervention_text.h"
#include "core/request/problem_checks.h"

namespace headscope {
namespace {

using MaybeProblem = std::optional<Problem>;

// One byte a cell of the scores.
constexpr double kLargestPaintedMask = 268435456.0;

// Offers to switch off what cannot be: `off` is the option's value with that one off.
Problem with_way_out(const char* option, std::string title, std::string detail, std::string off) {
  return {option, std::move(title), std::move(detail), {{"switch it off", option, std::move(off)}}};
}

// The option's value with place `index` of a list of `field` switched off.
template <typename List>
std::string switched_off(const Request& request, List Request::*field, std::size_t index,
                         std::string (*text)(const Request&)) {
  Request off = request;
  (off.*field)[index].on = false;
  return text(off);
}

std::string layers_text(std::int64_t layers) {
  return layers == 1 ? "This model has one layer, number 0."
                     : fmt::format("The {} layers are 0 to {}.", layers, layers - 1);
}

std::string heads_text(std::int64_t heads) {
  return fmt::format("The {} heads are 0 to {}.", heads, heads - 1);
}

// The tensors of a layer's weights as they are edited.
std::vector<WeightTensor> tensors_of(const Inputs& inputs, std::int64_t layer) {
  if (inputs.checkpoint != nullptr && layer != inputs.layer) {
    return weight_tensors(inputs.checkpoint->block(layer).attention);
  }
  return inputs.weights.empty() ? std::vector<WeightTensor>() : weight_tensors(inputs.weights);
}

// Why a name that is no tensor of the layer's attention cannot be edited: title and detail.
std::pair<std::string, std::string> name_fault(const Inputs& inputs, const std::string& name, std::int64_t layer,
                                               const std::string& names) {
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

// What is wrong with the place of an edit: title and detail, or nothing.
std::optional<std::pair<std::string, std::string>> place_fault(const Request& request, const Inputs& inputs,
                                                               const NumberEdit& edit, std::int64_t layers) {
  const std::int64_t layer = edit.layer.value_or(inputs.layer);
  if (layer < 0 || layer >= layers) return std::pair(fmt::format("there is no layer {}", layer), layers_text(layers));
  std::optional<Shape> shape;
  if (const auto stage = stage_named(edit.tensor)) {
    shape = stage_shape(request, inputs, *stage);
    if (!shape) {
      return std::pair(fmt::format("this request has no stage {}", edit.tensor),
                       std::string("Which stages there are follows from projections, masks and dropout."));
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
    return std::pair(fmt::format("{} has {} axes", edit.tensor, shape->count),
                     fmt::format("Found {} indices for {}.", edit.index.size(), to_string(*shape)));
  }
  for (int axis = 0; axis < shape->count; ++axis) {
    const std::int64_t at = edit.index[static_cast<std::size_t>(axis)];
    if (at >= 0 && at < (*shape)[axis]) continue;
    return std::pair(fmt::format("{}[{}] is outside", edit.tensor, fmt::join(edit.index, ", ")),
                     fmt::format("{} is {}; places count from 0.", edit.tensor, to_string(*shape)));
  }
  if (std::isnan(edit.value)) return std::pair(std::string("an edit holds no number"), std::string("Found nan."));
  return {};
}

MaybeProblem edit_problem(const Request& request, const Inputs& inputs, std::int64_t layers) {
  for (std::size_t k = 0; k < request.edits.size(); ++k) {
    if (!request.edits[k].on) continue;
    if (const auto fault = place_fault(request, inputs, request.edits[k], layers)) {
      return with_way_out("edit", fault->first, fault->second, switched_off(request, &Request::edits, k, edits_text));
    }
  }
  return {};
}

MaybeProblem freeze_problem(const Request& request, const Inputs& inputs, std::int64_t layers) {
  for (std::size_t k = 0; k < request.freeze.size(); ++k) {
    const auto& [place, as, on] = request.freeze[k];
    if (!on) continue;
    const std::string off = switched_off(request, &Request::freeze, k, freeze_text);
    if (place.layer < 0 || place.layer >= layers) {
      return with_way_out("freeze", fmt::format("there is no layer {}", place.layer), layers_text(layers), off);
    }
    if (place.head < 0 || place.head >= inputs.num_heads) {
      return with_way_out("freeze", fmt::format("there is no head {}", place.head), heads_text(inputs.num_heads), off);
    }
  }
  return {};
}

MaybeProblem factor_problem(const Request& request, std::vector<HeadFactor> Request::*field, const char* option,
                            std::int64_t heads, std::int64_t layers) {
  const std::vector<HeadFactor>& factors = request.*field;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    if (!factors[k].on) continue;
    Request switched = request;
    (switched.*field)[k].on = false;
    const std::string off = factors_text(switched.*field);
    if (!std::isfinite(factors[k].factor)) {
      return with_way_out(option, "the factor is not a finite number", "It multiplies every feature.", off);
    }
    if (!factors[k].place) continue;
    const LayerHead place = *factors[k].place;
    if (place.layer < 0 || place.layer >= layers) {
      return with_way_out(option, fmt::format("there is no layer {}", place.layer), layers_text(layers), off);
    }
    if (place.head < 0 || place.head >= heads) {
      return with_way_out(option, fmt::format("there is no head {}", place.head), heads_text(heads), off);
    }
  }
  return {};
}

}  // namespace

MaybeProblem intervention_problem(const Request& request, const Inputs& inputs) {
  const std::int64_t layers = inputs.checkpoint == nullptr ? std::max<std::int64_t>(1, inputs.layer + 1)
                                                           : inputs.checkpoint->architecture().num_layers;
  if (MaybeProblem problem = edit_problem(request, inputs, layers)) return problem;
  if (MaybeProblem problem = freeze_problem(request, inputs, layers)) return problem;
  if (auto problem = factor_problem(request, &Request::scale_query, "scale-query", inputs.num_heads, layers)) {
    return problem;
  }
  if (auto problem = factor_problem(request, &Request::scale_key, "scale-key", inputs.num_kv_heads, layers)) {
    return problem;
  }
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

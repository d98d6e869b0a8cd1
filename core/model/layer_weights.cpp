#include "core/model/layer_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>

#include "core/base/error.h"
#include "core/io/tensor_formats.h"
#include "core/io/torch_file.h"
#include "core/model/harmless_tensors.h"
#include "core/model/layer_prefix.h"
#include "core/model/layer_schemes.h"
#include "core/model/stored_layout.h"

namespace headscope {
namespace {

struct TensorSource {
  const std::string& source;
  std::vector<std::string> names;
  std::function<Tensor(const std::string& name)> read;
  std::function<Tensor(const std::string& name)> read_as_stored;  // two-byte numbers stay such

  bool has(std::string_view name) const {
    return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
  }
  [[noreturn]] void refuse(const std::string& sentence) const { throw Error(source + ": " + sentence); }
};

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text.empty() ? "no tensor" : text;
}

// The row of the table that the names belong to: all that it needs, and nothing that it does not know.
const NameScheme& scheme_of(const TensorSource& tensors) {
  const NameScheme* found = nullptr;
  for (const NameScheme& scheme : layer_schemes()) {
    const std::vector<std::string> required = required_names(scheme);
    const bool some = std::any_of(required.begin(), required.end(), [&](const auto& n) { return tensors.has(n); });
    if (!some) continue;
    std::vector<std::string> missing;
    for (const std::string& name : required) {
      if (!tensors.has(name)) missing.push_back(name);
    }
    if (!missing.empty()) {
      tensors.refuse(fmt::format("found {}, which belongs to {}, but {} is missing", listed(tensors.names),
                                 scheme.title, listed(missing)));
    }
    if (found && required == required_names(*found)) {  // they differ in their output projection
      if (tensors.has(scheme.output)) found = &scheme;
      continue;
    }
    if (found) {
      tensors.refuse(fmt::format("found tensors of two layers, {} and {}: {}. Expected one attention layer",
                                 found->title, scheme.title, listed(tensors.names)));
    }
    found = &scheme;
  }
  if (!found) {
    tensors.refuse(
        fmt::format("found {}; expected one attention layer: qkv_layer.weight, in_proj_weight, "
                    "q_proj_weight with k_proj_weight and v_proj_weight, queries.weight with keys.weight "
                    "and values.weight, q_proj.weight or wq.weight with those of keys and values, Wq, Wk and Wv, or "
                    "W_Q, W_K and W_V",
                    listed(tensors.names)));
  }
  std::vector<std::string> unknown;
  const std::vector<std::string> known = known_names(*found);
  for (const std::string& name : tensors.names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) unknown.push_back(name);
  }
  if (!unknown.empty()) {
    tensors.refuse(fmt::format("found {}, which {} does not have; expected only {}", listed(unknown), found->title,
                               listed(known)));
  }
  return *found;
}

// A [out, in] matrix of a tensor that stands otherwise in the file.
Tensor read_matrix(const TensorSource& tensors, const std::string& name, StoredLayout layout) {
  const Tensor tensor = tensors.read_as_stored(name);
  if (tensor.rank() != axes_of(layout) || tensor.size() == 0) {
    tensors.refuse(fmt::format("{} is {}; expected {}", name, to_string(tensor.shape()), layout_axes(layout)));
  }
  if (tensor.rank() > 2) return laid_out(tensor, layout);
  return laid_out(tensor.reshaped(tensor.shape(), {Axis::feature, Axis::feature}), layout);
}

// How the matrices of a row of the table stand.
StoredLayout layout_of(const NameScheme& scheme, bool output) {
  using Kind = StoredLayout::Kind;
  if (scheme.rows == LayerRows::x_times_w) return {Kind::in_out};
  if (scheme.rows == LayerRows::heads) return {Kind::heads_in_out, output};
  return {};
}

// `features` values along one axis; leading axes of size 1 are allowed (bias_k is [1, 1, d]), of heads two axes.
Tensor read_vector(const TensorSource& tensors, const std::string& name, std::int64_t features, bool heads = false) {
  const Tensor tensor = tensors.read(name);
  if (heads && tensor.rank() == 2 && tensor.size() == features) return laid_out(tensor, {StoredLayout::Kind::heads});
  if (tensor.rank() < 1 || tensor.size() != features || tensor.dim(tensor.rank() - 1) != features) {
    tensors.refuse(fmt::format("{} is {}; expected [{}]", name, to_string(tensor.shape()), features));
  }
  return tensor.reshaped({features}, {Axis::feature});
}

Linear read_linear(const TensorSource& tensors, const std::string& weight, const std::string& bias,
                   StoredLayout layout) {
  Linear linear;
  linear.weight = read_matrix(tensors, weight, layout);
  linear.weight_name = weight;
  if (tensors.has(bias)) {
    linear.bias = read_vector(tensors, bias, linear.weight.dim(0), axes_of(layout) == 3 && !layout.heads_are_inputs);
    linear.bias_name = bias;
  }
  return linear;
}

void read_separate(const TensorSource& tensors, const NameScheme& scheme, LayerWeights& weights) {
  const StoredLayout layout = layout_of(scheme, false);
  weights.query = read_linear(tensors, scheme.query, scheme.query_bias, layout);
  weights.key = read_linear(tensors, scheme.key, scheme.key_bias, layout);
  weights.value = read_linear(tensors, scheme.value, scheme.value_bias, layout);
  if (scheme.rows == LayerRows::heads) weights.num_heads = tensors.read(scheme.query).dim(0);
  const std::int64_t query_rows = weights.query.weight.dim(0);
  const std::int64_t key_rows = weights.key.weight.dim(0);
  if (query_rows % key_rows != 0) {
    tensors.refuse(
        fmt::format("{} has {} output features and {} has {}; expected as many, or a divisor for grouped "
                    "heads",
                    scheme.query, query_rows, scheme.key, key_rows));
  }
  if (tensors.has(scheme.qkv_bias)) {  // one vector for three matrices
    const std::int64_t value_rows = weights.value.weight.dim(0);
    const Tensor bias = read_vector(tensors, scheme.qkv_bias, query_rows + key_rows + value_rows);
    std::int64_t begin = 0;
    for (Linear* linear : {&weights.query, &weights.key, &weights.value}) {
      const std::int64_t end = begin + linear->weight.dim(0);
      linear->bias = bias.sliced(0, begin, end);
      linear->bias_name = scheme.qkv_bias;
      begin = end;
    }
  }
}

void read_fused(const TensorSource& tensors, const NameScheme& scheme, QkvLayout layout, LayerWeights& weights) {
  weights.qkv = read_linear(tensors, scheme.qkv, scheme.qkv_bias, {});
  const QkvLayout by_name = scheme.rows == LayerRows::fused ? QkvLayout::per_head : QkvLayout::blocked;
  weights.qkv_layout = layout == QkvLayout::automatic ? by_name : layout;
  const std::int64_t rows = weights.qkv.weight.dim(0);
  if (weights.qkv_layout == QkvLayout::blocked) {
    if (tensors.has(scheme.output)) {
      const std::int64_t query_rows = read_matrix(tensors, scheme.output, {}).dim(1);
      const std::int64_t key_rows = (rows - query_rows) / 2;
      if (key_rows < 1 || query_rows + 2 * key_rows != rows || query_rows % key_rows != 0) {
        tensors.refuse(fmt::format(
            "{} is {} and {} takes {} features; expected {} rows, {} each for queries, keys and "
            "values, or fewer keys and values for grouped heads",
            scheme.qkv, to_string(weights.qkv.weight.shape()), scheme.output, query_rows, 3 * query_rows, query_rows));
      }
      weights.fused_key_rows = key_rows;
    } else if (tensors.has("bias_k")) {
      const std::int64_t key_rows = tensors.read("bias_k").size();
      if (key_rows < 1 || rows <= 2 * key_rows || (rows - 2 * key_rows) % key_rows != 0) {
        tensors.refuse(fmt::format("{} is {} and bias_k has {} values; expected as many rows of keys and of values",
                                   scheme.qkv, to_string(weights.qkv.weight.shape()), key_rows));
      }
      weights.fused_key_rows = key_rows;
    }
  } else if (rows % 3 != 0) {
    tensors.refuse(
        fmt::format("{} is {}; expected [3 d_model, input_dim]: its rows are queries, keys and values, so "
                    "3 must divide them",
                    scheme.qkv, to_string(weights.qkv.weight.shape())));
  }
}

LayerWeights layer_weights(const TensorSource& tensors, QkvLayout layout) {
  const NameScheme& scheme = scheme_of(tensors);
  LayerWeights weights;
  weights.source = tensors.source;
  // What the projections give per query head, per key and per value group.
  std::int64_t key_features = 0;
  std::int64_t value_features = 0;
  std::int64_t concat_features = 0;
  if (*scheme.qkv) {
    read_fused(tensors, scheme, layout, weights);
    key_features = value_features = weights.fused_key_rows.value_or(weights.qkv.weight.dim(0) / 3);
    concat_features = weights.qkv.weight.dim(0) - 2 * key_features;
  } else {
    if (layout != QkvLayout::automatic) {
      throw UsageError("qkv-layout", fmt::format("{} holds {}", tensors.source, scheme.title),
                       "a fused projection (qkv_layer.weight or in_proj_weight) whose rows it could order");
    }
    read_separate(tensors, scheme, weights);
    key_features = weights.key.weight.dim(0);
    value_features = weights.value.weight.dim(0);
    concat_features = value_features * (weights.query.weight.dim(0) / key_features);
  }
  if (tensors.has("bias_k") != tensors.has("bias_v")) {
    tensors.refuse("found one of bias_k and bias_v; expected both or none");
  }
  if (tensors.has("bias_k")) {
    weights.bias_k = read_vector(tensors, "bias_k", key_features);
    weights.bias_v = read_vector(tensors, "bias_v", value_features);
  }
  if (tensors.has(scheme.output)) {
    weights.output = read_linear(tensors, scheme.output, scheme.output_bias, layout_of(scheme, true));
    if (weights.output.weight.dim(1) != concat_features) {
      tensors.refuse(fmt::format("{} takes {} features, but the heads give {} when they are merged", scheme.output,
                                 weights.output.weight.dim(1), concat_features));
    }
  } else if (tensors.has(scheme.output_bias)) {
    tensors.refuse(fmt::format("found {} without {}", scheme.output_bias, scheme.output));
  }
  return weights;
}

std::int64_t parsed_num_heads(const std::string& path, const std::string& text) {
  std::int64_t heads = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), heads);
  if (failure != std::errc() || end != text.data() + text.size() || heads < 1) {
    throw Error(fmt::format("{}: its metadata say num_heads \"{}\"; expected a whole number from 1 on", path, text));
  }
  return heads;
}

}  // namespace

LayerWeights read_layer_weights(const std::string& path, QkvLayout layout) {
  const TensorFile file = open_tensor_file(path);
  std::vector<std::string> names;
  for (const TensorEntry& entry : file.entries) {
    if (!is_mask_of_layer(entry)) names.push_back(entry.name);
  }
  const std::string before = has_names(file) ? only_layer_prefix(names, path) : "";
  const std::string place = before.empty() ? path : path + ": " + before.substr(0, before.size() - 1);
  TensorSource tensors{place, names_behind(before, names),
                       [&](const std::string& name) { return file.tensor(*file.find(before + name)); },
                       [&](const std::string& name) { return file.weight(*file.find(before + name)); }};
  if (!has_names(file))
    tensors.refuse("its tensors have no names; expected one attention layer by the names of its tensors");
  LayerWeights weights = layer_weights(tensors, layout);
  weights.source = path;
  for (Linear* linear : {&weights.qkv, &weights.query, &weights.key, &weights.value, &weights.output}) {
    if (!linear->weight_name.empty()) linear->weight_name.insert(0, before);
    if (!linear->bias_name.empty()) linear->bias_name.insert(0, before);
  }
  const auto num_heads = file.metadata.find("num_heads");
  if (num_heads != file.metadata.end()) weights.num_heads = parsed_num_heads(path, num_heads->second);
  return weights;
}

LayerWeights layer_weights_from(const std::vector<NamedTensor>& tensors, QkvLayout layout, const std::string& source) {
  const auto find = [&tensors](const std::string& name) {
    return std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.name == name; })->tensor;
  };
  TensorSource by_name{source, {}, find, find};
  for (const NamedTensor& tensor : tensors) by_name.names.push_back(tensor.name);
  return layer_weights(by_name, layout);
}

}  // namespace headscope

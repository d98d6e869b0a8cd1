#include "core/model/load_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/model/array_files.h"
#include "core/model/head_files.h"
#include "core/model/input_cache_state.h"
#include "core/model/input_sizes.h"
#include "core/model/input_sources.h"
#include "core/model/model_inputs.h"
#include "core/model/past.h"
#include "core/model/seeded.h"
#include "core/request/array_file.h"
#include "core/request/model_kind.h"

namespace headscope {
namespace {

// [batch, len, width] of a source: its file, or the vectors of its words, once for every batch item.
Tensor vectors_of(const TokenSource& source, std::int64_t batch, std::int64_t width, std::uint64_t seed,
                  InputCache::State& cache) {
  if (source.from_file()) {
    if (source.vectors.dim(2) != width) {
      throw UsageError(source.option, fmt::format("{} is {}; the layer takes {} features", source.path,
                                                  to_string(source.vectors.shape()), width));
    }
    return source.vectors;
  }
  const Shape shape{batch, source.len(), width};
  check_memory(shape, "the input");
  Tensor x = Tensor::zeros(shape, {Axis::batch, Axis::position, Axis::feature});
  const std::int64_t an_item = source.len() * width;
  float* const first = x.mutable_data();
  cache.read_vectors(seed, source.tokens, width, {first, static_cast<std::size_t>(an_item)});
  for (std::int64_t b = 1; b < batch; ++b) std::copy_n(first, an_item, first + b * an_item);
  return x;
}

Tensor with_positions(const Tensor& x) {
  const Tensor positions = sinusoidal_positions(x.dim(1), x.dim(2));
  Tensor sum = x.dense_copy();
  float* value = sum.mutable_data();
  const float* position = positions.data();
  for (std::int64_t i = 0; i < sum.size(); ++i) value[i] += position[i % positions.size()];
  return sum;
}

// The draws of this request in torch's order: x, key x (both only as sequences), then the layer.
DrawnTensors draw(const Request& request, const Sources& sources, const Inputs& inputs, InputCache::State& cache) {
  SeededDraws key;
  key.seed = request.seed;
  if (request.embedding == Embedding::sequence) {
    if (!sources.query.from_file()) key.seq_len = sources.query.len();
    if (sources.key && !sources.key->from_file()) key.key_len = sources.key->len();
  }
  if (key.seq_len > 0 || key.key_len > 0) {
    key.batch = inputs.batch;
    key.key_input_dim = inputs.weights.empty() ? inputs.input_dim : feature_counts(inputs.weights).key;
    check_memory({inputs.batch, key.seq_len, inputs.input_dim}, "the input");
    check_memory({inputs.batch, key.key_len, key.key_input_dim}, "the key input");
  }
  key.input_dim = inputs.input_dim;
  key.layer = inputs.weights.empty();
  if (key.layer) {
    check_memory({3, inputs.d_model, std::max(inputs.input_dim, inputs.d_model)}, "a seeded projection");
    key.d_model = inputs.d_model;
    key.init_gain = request.init_gain;
    if (inputs.num_kv_heads != inputs.num_heads) {
      key.grouped_heads = inputs.num_heads;
      key.grouped_kv_heads = inputs.num_kv_heads;
    }
  }
  if (!key.layer && key.seq_len == 0 && key.key_len == 0) return {};
  return cache.drawn(key);
}

// What the vectors of a layer's inputs are read from.
struct VectorSource {
  const Request& request;
  InputCache::State& cache;
  std::int64_t batch = 0;

  // [batch, len, features]: the drawn sequence, else the vectors of the source; with their positions.
  Tensor read(const TokenSource& source, std::int64_t features, const Tensor& drawn) const {
    const Tensor x = drawn.empty() ? vectors_of(source, batch, features, request.seed, cache) : drawn;
    return request.position == Position::sinusoidal ? with_positions(x) : x;
  }
};

// The keys and values of self-attention: those of the queries.
void share_keys(const Request& request, const FeatureCounts& width, Inputs& inputs) {
  if (width.key != width.query || width.value != width.query) {
    throw UsageError("weights",
                     fmt::format("{} takes {}, {} and {} features for queries, keys and values", request.weights,
                                 width.query, width.key, width.value),
                     "--key-phrase or --key-input, since one input cannot serve them all");
  }
  inputs.key_tokens = inputs.tokens;
  inputs.key_offsets = inputs.offsets;
  inputs.key_len = inputs.query_len;
}

// The keys and values of cross-attention.
void load_keys(const VectorSource& vectors, const Sources& sources, const FeatureCounts& width, const Tensor& drawn,
               Inputs& inputs) {
  inputs.key_tokens = sources.key->tokens;
  inputs.key_offsets = sources.key->offsets;
  inputs.key_len = sources.key->len();
  inputs.key_x = vectors.read(*sources.key, width.key, drawn);
  if (sources.value) {
    inputs.value_x = vectors.read(*sources.value, width.value, {});
  } else if (width.value == width.key) {
    inputs.value_x = inputs.key_x;
  } else if (sources.key->from_file()) {
    throw UsageError("key-input",
                     fmt::format("{} has {} features, but the values of {} take {}", sources.key->path, width.key,
                                 vectors.request.weights, width.value),
                     "--value-input too");
  } else {
    inputs.value_x = vectors.read(*sources.key, width.value, {});
  }
}

void load_layer_inputs(const Request& request, InputCache::State& cache, Inputs& inputs) {
  const Sources sources = read_sources(request, cache);
  inputs.batch = agreed_batch(request, sources);
  if (!request.weights.empty()) {
    inputs.weights = cache.layer(request.weights, request.qkv_layout);
    resolve_file_sizes(request, inputs);
  } else {
    resolve_seeded_sizes(request, sources, inputs);
  }
  if (inputs.batch < 1) throw UsageError("batch", fmt::format("{} was given", inputs.batch), "at least 1");
  DrawnTensors drawn = draw(request, sources, inputs, cache);
  if (inputs.weights.empty()) {
    inputs.weights = drawn.weights;
    if (inputs.weights.fused()) {
      inputs.weights.qkv_layout = request.qkv_layout == QkvLayout::blocked ? QkvLayout::blocked : QkvLayout::per_head;
    }
  }
  inputs.weights.num_heads = inputs.num_heads;

  const FeatureCounts width = feature_counts(inputs.weights);
  const VectorSource vectors{request, cache, inputs.batch};
  inputs.tokens = sources.query.tokens;
  inputs.offsets = sources.query.offsets;
  inputs.query_len = sources.query.len();
  inputs.x = vectors.read(sources.query, width.query, drawn.x);
  if (sources.key) {
    load_keys(vectors, sources, width, drawn.key_x, inputs);
  } else {
    share_keys(request, width, inputs);
  }
}

void load_attention_alone(const Request& request, InputCache::State& cache, Inputs& inputs) {
  const bool missing = (request.key.empty() || request.value.empty()) && !names_arrays(request.query);
  if (request.query.empty() || missing) {
    throw UsageError(request.query.empty() ? "query"
                     : request.key.empty() ? "key"
                                           : "value",
                     "missing; attention alone needs --query, --key and --value");
  }
  if (!request.weights.empty()) {
    throw UsageError("weights", "attention alone has no projections", "either --weights or --query, --key and --value");
  }
  HeadFiles files = read_head_files(request, cache);
  inputs.query = std::move(files.arrays.query);
  inputs.key = std::move(files.arrays.key);
  inputs.value = std::move(files.arrays.value);
  inputs.mask_files = std::move(files.masks);
  cache.readings = std::move(files.readings);
  inputs.batch = inputs.query.dim(0);
  inputs.num_heads = inputs.query.dim(1);
  inputs.query_len = inputs.query.dim(2);
  inputs.head_dim = inputs.query.dim(3);
  inputs.num_kv_heads = inputs.key.dim(1);
  inputs.key_len = inputs.key.dim(2);
  inputs.value_head_dim = inputs.value.dim(3);
  inputs.d_model = inputs.num_heads * inputs.value_head_dim;
  check_agreement("batch", request.batch, inputs.batch, "the batch of " + files.query_path);
  check_agreement("heads", request.heads, inputs.num_heads, "the number of heads in " + files.query_path);
  check_agreement("kv-heads", request.kv_heads, inputs.num_kv_heads, "the number of heads in " + files.key_path);
  check_agreement("d-model", request.d_model, inputs.d_model, "the merged width of " + files.value_path);
  inputs.tokens = position_names(inputs.query_len);
  inputs.key_tokens = position_names(inputs.key_len);
}

// Keys and values that stand before those of the inputs; those of files are joined with them at once.
void join_past(const Request& request, InputCache::State& cache, Inputs& inputs) {
  auto past = std::make_shared<Past>();
  past->key_path = request.key_past;
  past->value_path = request.value_past;
  const auto read = [&](const char* option, const std::string& path, std::int64_t features) {
    const Shape expected{inputs.batch, inputs.num_kv_heads, 0, features};
    return past_file(option, path, request.layout, expected, cache, cache.readings);
  };
  past->key = read("key-past", request.key_past, inputs.head_dim);
  past->value = read("value-past", request.value_past, inputs.value_head_dim);
  const std::int64_t len = past->key.dim(2);
  const auto check = [&](const char* option, const Tensor& found, const std::string& path, std::int64_t features) {
    const Shape expected{inputs.batch, inputs.num_kv_heads, len, features};
    if (found.shape() == expected) return;
    throw UsageError(option, fmt::format("{} is {}", path, to_string(found.shape())),
                     fmt::format("{} [batch, kv_heads, past_len, head_dim]", to_string(expected)));
  };
  check("key-past", past->key, past->key_path, inputs.head_dim);
  check("value-past", past->value, past->value_path, inputs.value_head_dim);
  check_memory(
      {2 * inputs.batch * inputs.num_kv_heads, len + inputs.key_len, std::max(inputs.head_dim, inputs.value_head_dim)},
      "keys and values with those of the past");
  if (!inputs.key.empty()) {
    inputs.key = joined_heads(past->key, inputs.key);
    inputs.value = joined_heads(past->value, inputs.value);
  }
  inputs.key_len += len;
  std::vector<std::string> names;
  for (std::int64_t j = 0; j < len; ++j) names.push_back(fmt::format("past {}", j));
  inputs.key_tokens.insert(inputs.key_tokens.begin(), names.begin(), names.end());
  if (!inputs.key_offsets.empty()) inputs.key_offsets.insert(inputs.key_offsets.begin(), names.size(), Range{});
  auto rule = std::make_shared<HeadRule>();
  rule->past = std::move(past);
  inputs.head_rule = std::move(rule);
}

}  // namespace

void check_checkpoint_files(InputCache& cache) {
  cache.state().check_checkpoint();
}

std::vector<std::string> readings_of_files(InputCache& cache) {
  return cache.state().readings;
}

Inputs load_inputs(const Request& request, InputCache& cache, const CancelToken& cancel) {
  InputCache::State& state = cache.state();
  state.cancel = cancel;
  state.readings.clear();
  Inputs inputs;
  if (is_attention_alone(request)) {
    load_attention_alone(request, state, inputs);
  } else if (runs_checkpoint(request)) {
    load_model_inputs(request, state, inputs);
  } else {
    load_layer_inputs(request, state, inputs);
  }
  if (!request.key_past.empty()) join_past(request, state, inputs);
  for (const MaskTerm& term : request.mask) {
    if (term.kind == MaskTerm::Kind::file) inputs.mask_files.push_back(mask_file(term.path, state));
  }
  if (!request.dropout_mask.empty()) {
    const std::int64_t extra_key = inputs.weights.bias_k.empty() ? 0 : 1;
    inputs.dropout_mask = dropout_mask_file(
        request.dropout_mask, {inputs.batch, inputs.num_heads, inputs.query_len, inputs.key_len + extra_key}, state);
  }
  inputs.arrays = load_own_arrays(request, state);
  state.forget_unused_files();
  return inputs;
}

}  // namespace headscope

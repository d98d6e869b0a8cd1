#include "core/model/input_sizes.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/request/memory.h"

namespace headscope {
namespace {

std::vector<const TokenSource*> files_of(const Sources& sources) {
  std::vector<const TokenSource*> files;
  if (sources.query.from_file()) files.push_back(&sources.query);
  if (sources.key && sources.key->from_file()) files.push_back(&*sources.key);
  if (sources.value) files.push_back(&*sources.value);
  return files;
}

std::int64_t resolved_heads(const Request& request, const LayerWeights& weights, std::int64_t query_rows,
                            std::int64_t key_rows) {
  if (request.heads) return *request.heads;
  if (weights.num_heads) return *weights.num_heads;
  // Grouped projections give the number of query heads from that of the keys.
  if (request.kv_heads && *request.kv_heads > 0 && query_rows != key_rows) {
    if (key_rows % *request.kv_heads != 0) {
      throw UsageError(
          "kv-heads",
          fmt::format("{} does not divide the {} key features of {}", *request.kv_heads, key_rows, weights.source),
          "a divisor");
    }
    return query_rows / key_rows * *request.kv_heads;
  }
  throw UsageError("weights", fmt::format("{} does not say how many heads it has", weights.source),
                   "--heads, or num_heads in its metadata");
}

// Rows of keys, and as many of values, in a fused projection. Where the file does not say, --heads and --kv-heads do;
// without grouped heads it is a third.
std::int64_t fused_key_rows(const Request& request, const LayerWeights& weights) {
  if (weights.fused_key_rows) return *weights.fused_key_rows;
  const std::int64_t rows = weights.qkv.weight.dim(0);
  const std::optional<std::int64_t> heads = request.heads ? request.heads : weights.num_heads;
  const bool blocked = weights.qkv_layout == QkvLayout::blocked;
  if (blocked && heads && request.kv_heads && *heads != *request.kv_heads) {
    const std::int64_t groups = *heads + 2 * *request.kv_heads;
    if (rows % groups == 0) return rows / groups * *request.kv_heads;
    throw UsageError(
        "kv-heads",
        fmt::format("{} heads and {} of keys and of values make {}, which does not divide the {} rows of {}", *heads,
                    *request.kv_heads, groups, rows, weights.source));
  }
  if (rows % 3 == 0) return rows / 3;
  throw UsageError("kv-heads", fmt::format("missing, and 3 does not divide the {} rows of {}", rows, weights.source),
                   "--heads and --kv-heads to say which are queries, keys and values");
}

}  // namespace

FeatureCounts feature_counts(const LayerWeights& weights) {
  if (weights.fused()) {
    const std::int64_t input_dim = weights.qkv.weight.dim(1);
    return {input_dim, input_dim, input_dim};
  }
  return {weights.query.weight.dim(1), weights.key.weight.dim(1), weights.value.weight.dim(1)};
}

std::int64_t agreed_batch(const Request& request, const Sources& sources) {
  std::optional<std::int64_t> batch = request.batch;
  const TokenSource* first = nullptr;
  for (const TokenSource* source : files_of(sources)) {
    const std::int64_t found = source->vectors.dim(0);
    check_agreement("batch", request.batch, found, "the batch of " + source->path);
    if (first && found != *batch) {
      throw UsageError(source->option,
                       fmt::format("the batch of {} is {}, but that of --{} {} is {}", source->path, found,
                                   first->option, first->path, *batch),
                       "as many");
    }
    first = source;
    batch = found;
  }
  return batch.value_or(1);
}

void check_memory(const Shape& shape, const char* what) {
  long double bytes = sizeof(float);
  for (const std::int64_t size : shape) bytes *= static_cast<long double>(size);
  if (bytes > static_cast<long double>(kDefaultMemoryLimit)) {
    throw UsageError(
        "", fmt::format("{} would be {} ({:.1f} GiB)", what, to_string(shape), static_cast<double>(bytes / (1 << 30))),
        fmt::format("at most {} GiB", kDefaultMemoryLimit >> 30), "Make --batch, --input-dim or --d-model smaller");
  }
}

void resolve_seeded_sizes(const Request& request, const Sources& sources, Inputs& inputs) {
  std::optional<std::int64_t> width = request.input_dim;
  const TokenSource* first = nullptr;
  for (const TokenSource* source : files_of(sources)) {
    const std::int64_t found = source->vectors.dim(2);
    check_agreement("input-dim", request.input_dim, found, "the width of " + source->path);
    if (first && found != *width) {
      throw UsageError(source->option,
                       fmt::format("the width of {} is {}, but that of --{} {} is {}; seeded weights take one width",
                                   source->path, found, first->option, first->path, *width));
    }
    first = source;
    width = found;
  }
  inputs.d_model = request.d_model.value_or(kDefaultModelWidth);
  inputs.input_dim = width.value_or(inputs.d_model);
  inputs.num_heads = request.heads.value_or(kDefaultHeads);
  inputs.num_kv_heads = request.kv_heads.value_or(inputs.num_heads);
  if (inputs.num_heads < 1 || inputs.d_model < 1 || inputs.input_dim < 1 || inputs.d_model % inputs.num_heads != 0) {
    throw UsageError("heads", fmt::format("{} does not divide d_model {}", inputs.num_heads, inputs.d_model),
                     "a divisor");
  }
  if (inputs.num_kv_heads < 1 || inputs.num_heads % inputs.num_kv_heads != 0) {
    throw UsageError("kv-heads", fmt::format("{} does not divide the {} heads", inputs.num_kv_heads, inputs.num_heads),
                     "a divisor");
  }
  inputs.head_dim = inputs.value_head_dim = inputs.d_model / inputs.num_heads;
}

void resolve_file_sizes(const Request& request, Inputs& inputs) {
  const LayerWeights& weights = inputs.weights;
  const bool fused = weights.fused();
  const std::int64_t key_rows = fused ? fused_key_rows(request, weights) : weights.key.weight.dim(0);
  const std::int64_t query_rows = fused ? weights.qkv.weight.dim(0) - 2 * key_rows : weights.query.weight.dim(0);
  const std::int64_t value_rows = fused ? key_rows : weights.value.weight.dim(0);
  const std::string& path = weights.source;
  inputs.num_heads = resolved_heads(request, weights, query_rows, key_rows);
  if (inputs.num_heads < 1 || query_rows % inputs.num_heads != 0) {
    throw UsageError("heads",
                     fmt::format("{} does not divide the {} query features of {}", inputs.num_heads, query_rows, path),
                     "a divisor");
  }
  inputs.head_dim = query_rows / inputs.num_heads;
  if (key_rows % inputs.head_dim != 0) {
    throw UsageError(
        "heads", fmt::format("with {} heads a head has {} features, which does not divide the {} key features of {}",
                             inputs.num_heads, inputs.head_dim, key_rows, path));
  }
  inputs.num_kv_heads = key_rows / inputs.head_dim;
  check_agreement("kv-heads", request.kv_heads, inputs.num_kv_heads, "the number of key heads in " + path);
  if (value_rows % inputs.num_kv_heads != 0) {
    throw UsageError("heads", fmt::format("{} key heads do not divide the {} value features of {}", inputs.num_kv_heads,
                                          value_rows, path));
  }
  inputs.value_head_dim = value_rows / inputs.num_kv_heads;
  inputs.input_dim = fused ? weights.qkv.weight.dim(1) : weights.query.weight.dim(1);
  inputs.d_model = weights.output.empty() ? inputs.num_heads * inputs.value_head_dim : weights.output.weight.dim(0);
  check_agreement("d-model", request.d_model, inputs.d_model, "the width of " + path);
  check_agreement("input-dim", request.input_dim, inputs.input_dim, "the input width of " + path);
  if (request.init_gain != 1.0) {
    throw UsageError("init-gain",
                     fmt::format("{} is for seeded weights, but --weights {} was given", request.init_gain, path));
  }
}

}  // namespace headscope

#include "core/request/memory.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/assert.h"
#include "core/request/mask.h"
#include "core/request/mask_terms.h"
#include "core/request/one_pass.h"
#include "core/request/stage_info.h"

namespace headscope {

namespace {

// The number that a symbol stands for, as far as it is known without the inputs.
double size_of(const StageSizes& sizes, StageSize size) {
  const auto d = [](std::int64_t n) { return static_cast<double>(n); };
  switch (size) {
    case StageSize::batch:
      return d(sizes.batch);
    case StageSize::queries:
      return d(sizes.query_len);
    case StageSize::key_tokens:
      return d(sizes.key_len);
    case StageSize::keys:
      return d(sizes.key_len) + (sizes.extra_key ? 1 : 0);
    case StageSize::heads:
      return d(sizes.heads);
    case StageSize::kv_heads:
      return d(sizes.kv_heads);
    case StageSize::head_dim:
      return d(sizes.head_dim);
    case StageSize::value_head_dim:
      return d(sizes.value_head_dim);
    case StageSize::head_qkv:
      return 3 * d(sizes.head_dim);
    case StageSize::input_dim:
    case StageSize::key_input_dim:
    case StageSize::value_input_dim:
      return d(sizes.input_dim);
    case StageSize::query_features:
      return d(sizes.heads) * d(sizes.head_dim);
    case StageSize::key_features:
      return d(sizes.kv_heads) * d(sizes.head_dim);
    case StageSize::value_features:
      return d(sizes.kv_heads) * d(sizes.value_head_dim);
    case StageSize::qkv_rows:
      return d(sizes.heads) * d(sizes.head_dim) + d(sizes.kv_heads) * (d(sizes.head_dim) + d(sizes.value_head_dim));
    case StageSize::concat_features:
      return d(sizes.heads) * d(sizes.value_head_dim);
    case StageSize::output_rows:
      return d(sizes.d_model);
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(size)));
  return 0;
}

// Whether the request has a stage of the kind that lies in memory of its own.
bool is_there(const Request& request, const StageSizes& sizes, StageWhen when) {
  switch (when) {
    case StageWhen::always:
      return true;
    case StageWhen::vectors:
      return !sizes.alone;
    case StageWhen::cross:
      return !sizes.alone && sizes.cross;
    case StageWhen::output:
      return !sizes.alone && sizes.has_output;
    case StageWhen::output_norm:
      return !sizes.alone && sizes.has_output && sizes.output_norm;
    case StageWhen::c2p:
      return sizes.c2p;
    case StageWhen::p2c:
      return sizes.p2c;
    case StageWhen::softcap:
      return request.softcap.has_value();
    case StageWhen::dropout:
      return request.dropout > 0 || !request.dropout_mask.empty();
    case StageWhen::captured:
      return false;  // it lies in its file
    case StageWhen::sinks:
      return false;  // computed when read
    case StageWhen::fused:
    case StageWhen::per_head:
    case StageWhen::projected:
      break;  // only the file of the weights says it: query, key and value are counted in their place
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(when)));
  return false;
}

// Floats of the stages whose rows say that they lie in memory of their own.
double stored_floats(const Request& request, const StageSizes& sizes) {
  double floats = 0;
  for (const StageInfo& stage : stage_infos()) {
    if (!stage.stored || !is_there(request, sizes, stage.when)) continue;
    double count = 1;
    for (const StageAxis& axis : stage.axes) count *= size_of(sizes, axis.size);
    floats += count;
  }
  return floats;
}

// Floats of everything but the stages of the scores' size, the bytes of what a mask file hides, and the floats of what
// the mask's terms add.
double bytes_without_scores(const Request& request, const StageSizes& sizes) {
  const auto d = [](std::int64_t n) { return static_cast<double>(n); };
  const double query_rows = d(sizes.batch) * d(sizes.query_len);
  const double key_rows = d(sizes.batch) * d(sizes.key_len);
  const double query_features = d(sizes.heads) * d(sizes.head_dim);
  const double key_features = d(sizes.kv_heads) * (d(sizes.head_dim) + d(sizes.value_head_dim));
  const double keys = d(sizes.key_len) + (sizes.extra_key ? 1 : 0);

  double floats = stored_floats(request, sizes) + query_rows * query_features + key_rows * key_features;
  if (sizes.extra_key) floats += d(sizes.batch) * keys * key_features;
  // concat; merged otherwise it is a view of the heads.
  if (request.merge == Merge::transpose && sizes.heads > 1) {
    floats += query_rows * d(sizes.heads) * d(sizes.value_head_dim);
  }
  const bool listed =
      any_painted(request) || std::any_of(request.mask.begin(), request.mask.end(),
                                          [](const MaskTerm& term) { return term.kind == MaskTerm::Kind::file; });
  if (sizes.own_added || adds_to_scores(request.mask)) floats += d(sizes.heads) * d(sizes.query_len) * keys;
  const double bytes = floats * static_cast<double>(sizeof(float)) + (listed ? d(sizes.query_len) * keys : 0.0);
  return d(sizes.layers) * bytes;
}

// How many stages of the scores' size are kept when weights are.
int kept_score_stages(const Request& request, bool own_mask) {
  int score_stages = 1;  // weights
  if (!in_one_pass(request)) {
    const bool masked = own_mask || !request.mask.empty() || any_painted(request);
    const bool scaled = !has_variant(request, Variant::no_scale) && request.scale.value_or(0.0) != 1.0;
    score_stages += 1;  // raw_scores
    if (masked || scaled) score_stages += 1;
    if (masked && scaled && request.mask_order == MaskOrder::after_scale) score_stages += 1;
    if (request.softcap) score_stages += 1;
  }
  if (request.dropout > 0 || !request.dropout_mask.empty()) score_stages += 1;
  return score_stages;
}

double score_bytes(const StageSizes& sizes) {
  const auto d = [](std::int64_t n) { return static_cast<double>(n); };
  return 4.0 * d(sizes.layers) * d(sizes.batch) * d(sizes.heads) * d(sizes.query_len) *
         (d(sizes.key_len) + (sizes.extra_key ? 1 : 0));
}

}  // namespace

double stage_bytes(const Request& request, const StageSizes& sizes) {
  return bytes_without_scores(request, sizes) + kept_score_stages(request, sizes.own_mask) * score_bytes(sizes);
}

double least_stage_bytes(const Request& request, const StageSizes& sizes) {
  return in_one_pass(request) ? bytes_without_scores(request, sizes) : stage_bytes(request, sizes);
}

std::int64_t tokens_that_fit(const Request& request, const StageSizes& sizes, std::int64_t limit) {
  const std::int64_t longest = std::max({sizes.query_len, sizes.key_len, std::int64_t{1}});
  const auto fits = [&](std::int64_t tokens) {
    StageSizes shorter = sizes;
    const auto share = [&](std::int64_t len) {
      const double scaled = static_cast<double>(len) * static_cast<double>(tokens) / static_cast<double>(longest);
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::llround(scaled)));
    };
    shorter.query_len = share(sizes.query_len);
    shorter.key_len = share(sizes.key_len);
    return least_stage_bytes(request, shorter) <= static_cast<double>(limit);
  };
  std::int64_t low = 0;
  std::int64_t high = longest + 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

double products_of(const StageSizes& sizes) {
  const double batch = static_cast<double>(sizes.batch), queries = static_cast<double>(sizes.query_len);
  const double keys = static_cast<double>(sizes.key_len), heads = static_cast<double>(sizes.heads);
  const double kv_heads = static_cast<double>(sizes.kv_heads), head_dim = static_cast<double>(sizes.head_dim);
  const double value_head_dim = static_cast<double>(sizes.value_head_dim);
  const double attention = heads * queries * keys * (head_dim + value_head_dim);
  if (sizes.alone) return batch * attention;
  const double projected = queries * heads * head_dim + keys * kv_heads * (head_dim + value_head_dim);
  const double output = sizes.has_output ? queries * heads * value_head_dim * static_cast<double>(sizes.d_model) : 0.0;
  return static_cast<double>(sizes.layers) * batch *
         (attention + projected * static_cast<double>(sizes.input_dim) + output);
}

}  // namespace headscope

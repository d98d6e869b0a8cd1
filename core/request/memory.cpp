#include "core/request/memory.h"

#include <algorithm>
#include <cmath>

#include "core/request/mask.h"
#include "core/request/mask_terms.h"
#include "core/request/one_pass.h"

namespace headscope {

namespace {

// Floats of everything but the stages of the scores' size, the bytes of what a mask file hides, and the floats of what
// the mask's terms add.
double bytes_without_scores(const Request& request, const StageSizes& sizes) {
  const auto d = [](std::int64_t n) { return static_cast<double>(n); };
  const double query_rows = d(sizes.batch) * d(sizes.query_len);
  const double key_rows = d(sizes.batch) * d(sizes.key_len);
  const double query_features = d(sizes.heads) * d(sizes.head_dim);
  const double key_features = d(sizes.kv_heads) * (d(sizes.head_dim) + d(sizes.value_head_dim));
  const double keys = d(sizes.key_len) + (sizes.extra_key ? 1 : 0);

  double floats = query_rows * query_features + key_rows * key_features;
  if (!sizes.alone) floats += query_rows * d(sizes.input_dim) + (sizes.cross ? key_rows * d(sizes.input_dim) : 0.0);
  if (sizes.extra_key) floats += d(sizes.batch) * keys * key_features;

  const double value_features = d(sizes.heads) * d(sizes.value_head_dim);
  floats += query_rows * value_features * (request.merge == Merge::transpose && sizes.heads > 1 ? 2 : 1);
  if (sizes.has_output && !sizes.alone) floats += query_rows * d(sizes.d_model);
  const bool listed =
      any_painted(request) || std::any_of(request.mask.begin(), request.mask.end(),
                                          [](const MaskTerm& term) { return term.kind == MaskTerm::Kind::file; });
  if (adds_to_scores(request.mask)) floats += d(sizes.heads) * d(sizes.query_len) * keys;
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

// Memory and work that a request's stages will take, known before anything is computed.
#pragma once

#include <cstdint>

#include "core/request/request.h"

namespace headscope {

constexpr std::int64_t kDefaultMemoryLimit = std::int64_t{4} << 30;  // bytes of stages

// The sizes that decide how much is stored: copied from Inputs, or known in advance for a seeded request.
struct StageSizes {
  std::int64_t batch = 1, query_len = 0, key_len = 0;  // key_len without the key of bias_k
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0, value_head_dim = 0;
  std::int64_t input_dim = 0, d_model = 0;
  bool extra_key = false;  // bias_k
  bool cross = false;
  bool alone = false;  // attention alone: no inputs, projections or output
  bool has_output = true;
  bool own_mask = false;          // the model has a mask of its own, besides the request's
  std::int64_t layers = 1;        // from the first to this one: the stages of all of them are kept
  bool own_added = false;         // the model's mask adds to scores
  bool output_norm = false;       // the output is normalised
  bool c2p = false, p2c = false;  // the stages of relative positions that depend on queries and keys
};

// Bytes of every stage that has memory of its own when the weights are kept; views, stages equal to the one before and
// scores that are computed when read count 0. Exact, except that a mask file is counted before it is read. Double, so
// that no product overflows.
double stage_bytes(const Request& request, const StageSizes& sizes);

// The same when weights are computed when read too, where the request allows it (in_one_pass()).
double least_stage_bytes(const Request& request, const StageSizes& sizes);

// The most tokens (queries and keys in the proportion that they have now) whose least stages fit in `limit`
// bytes; 0 when not even one does.
std::int64_t tokens_that_fit(const Request& request, const StageSizes& sizes, std::int64_t limit);

// The number of multiply-adds in the projections, scores and context of one forward, as if nothing was hidden.
double products_of(const StageSizes& sizes);

}  // namespace headscope

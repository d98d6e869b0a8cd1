#include "core/attention/stage_sizes.h"

#include <algorithm>

#include "core/model/relative_positions.h"
#include "core/request/mask_terms.h"

namespace headscope {

StageSizes stage_sizes_of(const Inputs& inputs) {
  StageSizes sizes;
  sizes.batch = inputs.batch;
  sizes.query_len = inputs.query_len;
  sizes.key_len = inputs.key_len;
  sizes.heads = inputs.num_heads;
  sizes.kv_heads = inputs.num_kv_heads;
  sizes.head_dim = inputs.head_dim;
  sizes.value_head_dim = inputs.value_head_dim;
  sizes.input_dim = inputs.input_dim;
  sizes.d_model = inputs.d_model;
  sizes.extra_key = !inputs.weights.bias_k.empty();
  sizes.cross = !inputs.key_x.empty();
  sizes.alone = !inputs.query.empty();
  sizes.has_output = !inputs.weights.output.empty();
  sizes.own_mask = !inputs.own_mask.empty();
  const bool biased = std::any_of(inputs.mask_files.begin(), inputs.mask_files.end(),
                                  [](const MaskFile& file) { return !file.rows.empty(); });
  sizes.own_added = biased || adds_to_scores(inputs.own_mask);
  if (const RelativePositions* positions = inputs.relative_positions.get()) {
    sizes.c2p = positions->rule.c2p;
    sizes.p2c = positions->rule.p2c;
    sizes.own_added = true;
  }
  sizes.output_norm = inputs.output_norm != nullptr;
  sizes.layers = inputs.layer + 1;
  return sizes;
}

}  // namespace headscope

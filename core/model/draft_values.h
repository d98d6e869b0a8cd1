// Settings of a map that follow from keys of config.json by arithmetic, or from several of them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/model/draft_config.h"
#include "core/model/family.h"

namespace headscope {

struct DraftFacts {
  std::int64_t num_layers = 0, d_model = 0;
  bool position_table = false;            // learned positions are among the tensors
  const Family* like = nullptr;           // whose names the tensors have
  const Architecture* as_like = nullptr;  // what config.json says to that family
};

// Adds what config.json says to `settings`, an object, where it does not have it:
//   query_pre_attn_scalar q: score_scale 1 / sqrt(q);  logits_scaling s: logit_scale 1 / s
//   scale_embedding true: embedding_scale sqrt(d_model);  scale_attn_weights false: score_scale 1
//   do_layer_norm_before, normalize_before: norm_place;  position_embedding_type alibi: alibi
void draft_values(DraftConfig& config, const DraftFacts& facts, nlohmann::ordered_json& settings);

// The same of which layers have the window that `settings` may name (layer_types, sliding_window_pattern or the
// family's rule), and of rotary positions (rope_theta or rotary_emb_base, partial_rotary_factor, rotary_pct or
// rotary_dim, rope_scaling); to `unsure` a sentence for every guess.
void draft_positions(DraftConfig& config, const DraftFacts& facts, nlohmann::ordered_json& settings,
                     std::vector<std::string>& unsure);

}  // namespace headscope

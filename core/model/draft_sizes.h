// Settings of a map that follow from the shapes of its tensors.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/model/draft_config.h"
#include "core/model/draft_parts.h"

namespace headscope {

// Adds head_dim, num_kv_heads, position_offset and max_positions to `settings`, an object, where shapes tell them; to
// `unsure` a sentence for what is a guess.
void draft_sizes(const DraftConfig& config, const DraftParts& parts, nlohmann::ordered_json& settings,
                 std::vector<std::string>& unsure);

}  // namespace headscope

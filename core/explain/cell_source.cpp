#include "core/explain/cell_source.h"

#include <cstddef>

namespace headscope {

std::string_view role_name(SourceRole role) {
  constexpr std::string_view kNames[] = {"input",  "query",   "key",        "value", "score",
                                         "weight", "context", "projection", "bias",  "mask"};
  return kNames[static_cast<std::size_t>(role)];
}

SourceRole role_of_stage(StageId stage) {
  if (is_score_like(stage)) return is_weight_like(stage) ? SourceRole::weight : SourceRole::score;
  if (stage == StageId::query) return SourceRole::query;
  if (stage == StageId::key) return SourceRole::key;
  if (stage == StageId::value) return SourceRole::value;
  return stage < StageId::raw_scores ? SourceRole::input : SourceRole::context;
}

}  // namespace headscope

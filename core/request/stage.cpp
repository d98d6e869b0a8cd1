#include "core/request/stage.h"

#include <array>
#include <utility>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr std::array<std::pair<StageId, std::string_view>, 21> kNames = {{
    {StageId::input, "input"},
    {StageId::key_input, "key_input"},
    {StageId::value_input, "value_input"},
    {StageId::qkv, "qkv"},
    {StageId::qkv_split, "qkv_split"},
    {StageId::qkv_heads, "qkv_heads"},
    {StageId::query_proj, "query_proj"},
    {StageId::key_proj, "key_proj"},
    {StageId::value_proj, "value_proj"},
    {StageId::query, "query"},
    {StageId::key, "key"},
    {StageId::value, "value"},
    {StageId::raw_scores, "raw_scores"},
    {StageId::scores, "scores"},
    {StageId::capped_scores, "capped_scores"},
    {StageId::masked_scores, "masked_scores"},
    {StageId::weights, "weights"},
    {StageId::dropped_weights, "dropped_weights"},
    {StageId::context, "context"},
    {StageId::concat, "concat"},
    {StageId::output, "output"},
}};

}  // namespace

std::string_view stage_name(StageId stage) {
  for (const auto& [id, name] : kNames) {
    if (id == stage) return name;
  }
  HEADSCOPE_ASSERT(false, "stage " + std::to_string(static_cast<int>(stage)));
  return {};
}

std::optional<StageId> stage_named(std::string_view name) {
  for (const auto& [id, known] : kNames) {
    if (known == name) return id;
  }
  return std::nullopt;
}

const std::vector<StageId>& all_stages() {
  static const std::vector<StageId> stages = [] {
    std::vector<StageId> result;
    for (const auto& entry : kNames) result.push_back(entry.first);
    return result;
  }();
  return stages;
}

bool is_score_like(StageId stage) {
  return StageId::raw_scores <= stage && stage <= StageId::dropped_weights;
}

bool is_weight_like(StageId stage) {
  return stage == StageId::weights || stage == StageId::dropped_weights;
}

}  // namespace headscope

#include "core/request/stage.h"

#include "core/request/stage_info.h"

namespace headscope {

std::string_view stage_name(StageId stage) {
  return stage_info(stage).name;
}

std::optional<StageId> stage_named(std::string_view name) {
  for (const StageInfo& info : stage_infos()) {
    if (info.name == name) return info.id;
  }
  return std::nullopt;
}

const std::vector<StageId>& all_stages() {
  static const std::vector<StageId> stages = [] {
    std::vector<StageId> result;
    for (const StageInfo& info : stage_infos()) result.push_back(info.id);
    return result;
  }();
  return stages;
}

bool is_score_like(StageId stage) {
  return stage_info(stage).axes.back().axis == Axis::key;
}

bool is_weight_like(StageId stage) {
  return stage_info(stage).picture.colors == StageColors::sequential;
}

}  // namespace headscope

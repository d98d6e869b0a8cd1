#include "core/request/stage.h"

#include <algorithm>

#include "core/request/stage_axes.h"
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

bool stage_has_heads(StageId stage) {
  const std::vector<StageAxis>& axes = stage_info(stage).axes;
  return std::any_of(axes.begin(), axes.end(), [](const StageAxis& axis) { return axis.axis == Axis::head; });
}

bool is_weight_like(StageId stage) {
  return stage_info(stage).picture.colors == StageColors::sequential;
}

}  // namespace headscope

#include "core/picture/view_spec.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headscope {

bool takes_another_result(ViewKind kind) {
  return kind == ViewKind::difference || kind == ViewKind::sweep;
}

bool has_weight_colors(ViewKind kind, StageId stage) {
  switch (kind) {
    case ViewKind::lens:
      return true;
    case ViewKind::difference:
    case ViewKind::sensitivity:
    case ViewKind::attribution:
    case ViewKind::sweep:
    case ViewKind::composition:
    case ViewKind::score:
      return false;
    default:
      return is_weight_like(stage);
  }
}

std::optional<std::int64_t> position_asked(const ViewSpec& view) {
  if (view.at.size() > 1) {
    throw UsageError("at", fmt::format("found {} numbers with --view {}", view.at.size(), view_kind_name(view.view)),
                     "one, a position");
  }
  return view.at.empty() ? std::nullopt : std::optional(view.at.front());
}

SensitivityBy usual_by(StageId stage) {
  return is_score_like(stage) ? SensitivityBy::scores : SensitivityBy::weights;
}

}  // namespace headscope

#include "core/picture/view_spec.h"

namespace headscope {

bool has_weight_colors(ViewKind kind, StageId stage) {
  if (kind == ViewKind::lens) return true;
  return is_weight_like(stage) && kind != ViewKind::difference && kind != ViewKind::sensitivity;
}

SensitivityBy usual_by(StageId stage) {
  return is_score_like(stage) ? SensitivityBy::scores : SensitivityBy::weights;
}

}  // namespace headscope

#include "core/attention/shown_mask.h"

#include <cmath>
#include <string>

#include "core/attention/hidden_weight.h"

namespace headscope {
namespace {

// From where the mask was applied on; before, hidden cells hold real scores.
bool stage_hides(const Trace& trace, StageId stage) {
  if (stage == StageId::captured_weights) return false;  // the mask at hand need not be theirs
  if (is_weight_like(stage)) return true;
  if (has_variant(trace.request, Variant::mask_after_softmax)) return false;
  return stage == StageId::masked_scores ||
         (stage == StageId::scores && trace.request.mask_order == MaskOrder::before_scale);
}

}  // namespace

bool uniform_when_fully_masked(const Request& request) {
  if (request.fully_masked == FullyMasked::uniform) return true;
  return request.fully_masked == FullyMasked::as_computed && std::isfinite(request.mask_fill);
}

std::shared_ptr<const Mask> shown_mask(const Trace& trace, StageId stage) {
  if (!trace.mask || !trace.mask->hidden.any() || !is_score_like(stage) || !stage_hides(trace, stage)) return nullptr;
  const std::shared_ptr<const Mask>& mask = trace.hidden_weight == nullptr ? trace.mask : trace.hidden_weight->shown;
  if (trace.fully_masked_rows == 0 || !is_weight_like(stage) || !uniform_when_fully_masked(trace.request)) {
    return mask;
  }
  auto shown = std::make_shared<Mask>();
  shown->hidden = mask->hidden.with_hidden_rows_opened();
  shown->marked = mask->marked;
  return shown;
}

std::shared_ptr<const Mask> hidden_in_both(const Trace& a, const Trace& b, StageId stage, const MaskPair& pair) {
  const std::shared_ptr<const Mask> of_a = shown_mask(a, stage), of_b = shown_mask(b, stage);
  if (of_a == nullptr || of_b == nullptr) return nullptr;
  const auto rows = static_cast<std::int64_t>(pair.rows.size()),
             columns = static_cast<std::int64_t>(pair.columns.size());
  auto both = std::make_shared<Mask>();
  both->hidden = HiddenCells(1, 1, rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto [row_a, row_b] = pair.rows[static_cast<std::size_t>(i)];
    std::uint8_t* out = both->hidden.mutable_row(0, 0, i);
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto [column_a, column_b] = pair.columns[static_cast<std::size_t>(j)];
      out[j] = of_a->hidden.hidden(pair.batch, pair.head, row_a, column_a) &&
               of_b->hidden.hidden(pair.batch, pair.head, row_b, column_b);
    }
  }
  both->hidden.refresh_any();
  return both->hidden.any() ? both : nullptr;
}

}  // namespace headscope

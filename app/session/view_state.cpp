#include "app/session/view_state.h"

namespace headscope {

ViewSpec view_spec_of(const ViewState& view) {
  ViewSpec spec;
  if (is_score_like(view.stage)) {
    spec.view = ViewKind::heads;
    spec.stage = view.quantity;
  } else {
    spec.view = view.stage == StageId::concat ? ViewKind::concat : ViewKind::stage;
    spec.stage = view.stage;
  }
  spec.batch = view.batch;
  spec.head = view.head;
  spec.colormap = is_weight_like(spec.stage) ? view.weight_map : view.signed_map;
  spec.range = view.range_fixed ? RangeKind::fixed : view.range;
  spec.range_low = view.range_low;
  spec.range_high = view.range_high;
  spec.log_scale = view.log_scale;
  spec.theme = view.theme;
  return spec;
}

void apply_view_spec(ViewState& view, const ViewSpec& spec) {
  view.stage = spec.view == ViewKind::concat ? StageId::concat : spec.stage;
  if (is_score_like(view.stage)) view.quantity = view.stage;
  if (spec.view == ViewKind::concat) view.concat_shows = ConcatShows::concat;
  view.batch = spec.batch;
  view.head = spec.head;
  (is_weight_like(spec.stage) ? view.weight_map : view.signed_map) = spec.colormap;
  view.range_fixed = spec.range == RangeKind::fixed;
  view.range = spec.range == RangeKind::row ? RangeKind::row : RangeKind::automatic;
  view.range_low = spec.range_low;
  view.range_high = spec.range_high;
  view.log_scale = spec.log_scale;
  view.theme = spec.theme;
  // What was picked or zoomed into belongs to another tensor.
  view.cell.reset();
  view.viewport = {};
  view.stage_viewport = {};
}

}  // namespace headscope

#include "app/session/view_state.h"

namespace headscope {

ViewSpec view_spec_of(const ViewState& view, Theme theme) {
  ViewSpec spec;
  if (view.main_view == MainView::layers) {
    spec.view = ViewKind::layers;
    spec.aggregate = view.layers.aggregate;
  } else if (is_score_like(view.stage)) {
    spec.view = view.heads_show == HeadsShow::arcs      ? ViewKind::arcs
                : view.heads_show == HeadsShow::neurons ? ViewKind::neurons
                                                        : ViewKind::heads;
    spec.stage = view.quantity;
    if (view.cell && view.heads_show != HeadsShow::grid) spec.token = view.cell->row;
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
  spec.theme = theme;
  spec.heads_shown = view.arcs_heads;
  spec.hide_below = view.arcs_hide_below;
  spec.sentences = view.arcs_sentences;
  return spec;
}

void apply_view_spec(ViewState& view, const ViewSpec& spec) {
  view.stage = spec.view == ViewKind::concat ? StageId::concat : spec.stage;
  if (is_score_like(view.stage)) view.quantity = view.stage;
  if (spec.view == ViewKind::concat) view.concat_shows = ConcatShows::concat;
  view.heads_show = spec.view == ViewKind::arcs      ? HeadsShow::arcs
                    : spec.view == ViewKind::neurons ? HeadsShow::neurons
                                                     : HeadsShow::grid;
  view.arcs_heads = spec.heads_shown;
  view.arcs_hide_below = spec.hide_below;
  view.arcs_sentences = spec.sentences;
  view.main_view = main_view_of_picture(spec.view);
  view.sensitivity_by = spec.by;
  view.layers.aggregate = spec.aggregate;
  view.batch = spec.batch;
  view.head = spec.head;
  (has_weight_colors(spec.view, spec.stage) ? view.weight_map : view.signed_map) = spec.colormap;
  view.range_fixed = spec.range == RangeKind::fixed;
  view.range = spec.range == RangeKind::row ? RangeKind::row : RangeKind::automatic;
  view.range_low = spec.range_low;
  view.range_high = spec.range_high;
  view.log_scale = spec.log_scale;
  // What was picked or zoomed into belongs to another tensor.
  view.cell.reset();
  if (spec.token && is_score_like(view.stage))
    view.cell = Cell{*spec.token, -1};  // the key is not kept: the strongest one
  if (spec.at.size() >= 3) view.cell = Cell{spec.at[spec.at.size() - 2], spec.at.back()};
  view.viewport = {};
  view.stage_viewport = {};
}

}  // namespace headscope

#include "app/ui/explain/follow_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_layout.h"
#include "core/base/grouped_digits.h"
#include "core/explain/cell_origin.h"

namespace headscope::ui {
namespace {

FollowItem item_of(PanelData& data, const CellPlace& place, const char* before) {
  const SlicePlace at = slice_place(place);
  const Tensor& matrix = data.matrix(place.stage, at.batch, at.slice);
  const std::string name(stage_name(place.stage));
  return {place.stage,
          false,
          place.index.count == 4 ? fmt::format("{}[{}, {}]", name, at.batch, at.slice)
                                 : fmt::format("{}[{}]", name, at.batch),
          {},
          at.batch,
          at.slice,
          matrix.dim(0),
          matrix.dim(1),
          before};
}

// What makes a cell, and the stage that holds it: a × b = c, or a → b.
FollowRow row_of(PanelData& data, const CellPlace& place) {
  const CellOrigin origin = sources_of(data.trace(), place.stage, place.index);
  const bool product = origin.step == CellStep::products;
  FollowRow row;
  for (std::size_t at = 0; at < origin.sources.size() && at < 2; ++at) {
    const CellSource& source = origin.sources[at];
    const char* before = at == 0 ? "" : place.stage == StageId::raw_scores ? "× ᵀ" : "×";
    if (source.stage) {
      CellPlace first{*source.stage, {}};
      for (const Range& range : source.region) first.index.push_back(range.begin);
      row.push_back(item_of(data, first, before));
    } else if (product && source.tensor.rank() == 2) {
      row.push_back({StageId::output, true, source.name, source.tensor, 0, 0, source.tensor.dim(0),
                     source.tensor.dim(1), before});
    }
  }
  row.push_back(item_of(data, place, row.empty() ? "" : product ? "=" : "→"));
  return row;
}

Rgba name_color(const Ui& ui, const FollowItem& item) {
  if (item.of_file) return ui.colors.text;
  return item.stage == StageId::query   ? ui.colors.query
         : item.stage == StageId::key   ? ui.colors.key
         : item.stage == StageId::value ? ui.colors.value
                                        : ui.colors.text;
}

}  // namespace

std::vector<FollowRow> follow_rows(PanelData& data, const CellPlace& place) {
  const Trace& trace = data.trace();
  if (place.stage == StageId::concat) {
    const CellOrigin origin = sources_of(trace, place.stage, place.index);
    CellPlace context{StageId::context, {}};
    for (const Range& range : origin.sources[0].region) context.index.push_back(range.begin);
    return {row_of(data, context), {item_of(data, place, "")}};
  }
  const bool later_score = is_score_like(place.stage) && place.stage != StageId::raw_scores;
  if (later_score && trace.find(StageId::raw_scores) != nullptr && trace.find(StageId::query) != nullptr) {
    FollowRow first = row_of(data, {StageId::raw_scores, place.index}), second = row_of(data, place);
    for (FollowItem& item : second) item.again = !item.of_file && item.stage == first.back().stage;
    return {std::move(first), std::move(second)};
  }
  return {row_of(data, place)};
}

void draw_item_name(Ui& ui, const FollowItem& item, const Rect& header) {
  // A name may be wider than its picture: the gap beside it is free.
  const float right = std::max(header.max.x, header.min.x + text_width(ui, Type::mono_bold12, item.name) + 2);
  text_in(ui, {header.min, {right, header.min.y + ui.px(17)}}, Type::mono_bold12, name_color(ui, item), item.name);
  text_in(ui, {{header.min.x, header.min.y + ui.px(17)}, {right, header.min.y + ui.px(33)}}, Type::mono11,
          ui.colors.text2, fmt::format("{} × {}", grouped_digits(item.rows), grouped_digits(item.columns)));
}

HeatmapView item_view(Ui& ui, PanelData& data, const FollowItem& item) {
  HeatmapView view;
  view.weight_like = !item.of_file && is_weight_like(item.stage);
  view.map = color_map_of(ui, view.weight_like);
  if (item.of_file) {
    view.matrix = item.matrix;
    return view;
  }
  view.matrix = data.matrix(item.stage, item.batch, item.slice);
  view.mask = data.mask(item.stage);
  view.batch = item.batch;
  view.head = item.slice;
  view.range = data.range(ui.session.view, item.stage, item.batch, item.slice);
  view.large = large_map_of(data, item.stage, item.batch, item.slice, ui.session.view.pooling);
  if (!view.large && view.range.per_row) {
    view.row_scale = &data.row_scale(item.stage, item.batch, item.slice, view.map, view.range.log_scale);
  }
  return view;
}

}  // namespace headscope::ui

#include "app/ui/map/cell_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/map/panel_sentences.h"
#include "core/attention/projection_steps.h"
#include "core/attention/stage_layout.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

const char* part_name(std::int64_t part) {
  return part == 0 ? "query" : part == 1 ? "key" : "value";
}

// "head 2, key feature 1" of a column of the fused projection.
std::string fused_column(const Trace& trace, std::int64_t o) {
  const Inputs& inputs = *trace.inputs;
  if (read_layout_of(trace.request, inputs.weights) == QkvLayout::per_head) {
    const std::int64_t features = 3 * inputs.head_dim;
    return fmt::format("head {}, {} feature {}", o / features, part_name(o % features / inputs.head_dim),
                       o % inputs.head_dim);
  }
  std::int64_t before = 0;
  for (const Part part : {Part::query, Part::key, Part::value}) {
    const std::int64_t count = part_features(inputs, part);
    const std::int64_t features = part == Part::value ? inputs.value_head_dim : inputs.head_dim;
    if (o < before + count) {
      return fmt::format("{} of head {}, feature {}", part_name(static_cast<std::int64_t>(part)),
                         (o - before) / features, (o - before) % features);
    }
    before += count;
  }
  return fmt::format("column {}", o);
}

}  // namespace

CellPlace place_of(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice, Cell cell) {
  const MatrixLayout layout = stage_layout(stage);
  Index index = trace.tensor(stage).shape();  // for its count
  index[layout.batch] = batch;
  if (layout.head >= 0) index[layout.head] = slice;
  index[layout.rows] = cell.row;
  index[layout.columns] = cell.column;
  return {stage, index};
}

bool is_inside(const Trace& trace, const CellPlace& place) {
  const Stage* stage = trace.find(place.stage);
  if (stage == nullptr || stage->tensor.rank() != place.index.count) return false;
  for (int axis = 0; axis < place.index.count; ++axis) {
    if (place.index[axis] < 0 || place.index[axis] >= stage->tensor.dim(axis)) return false;
  }
  return true;
}

SlicePlace slice_place(const CellPlace& place) {
  const MatrixLayout layout = stage_layout(place.stage);
  return {place.index[layout.batch],
          layout.head < 0 ? 0 : place.index[layout.head],
          {place.index[layout.rows], place.index[layout.columns]}};
}

void show_place(ViewState& view, const Trace& trace, const CellPlace& place) {
  const SlicePlace at = slice_place(place);
  select_stage(view, place.stage);
  view.batch = at.batch;
  const std::int64_t head = std::clamp<std::int64_t>(view.head, 0, std::max<std::int64_t>(0, trace.num_heads() - 1));
  if (place.index.count == 4 && slice_of_head(trace, place.stage, head) != at.slice) {
    view.head = at.slice * trace.num_heads() / std::max<std::int64_t>(1, slice_count(trace, place.stage));
  }
  view.cell = at.cell;
  Viewport& seen = is_score_like(place.stage) ? view.viewport : view.stage_viewport;
  const auto row = static_cast<double>(at.cell.row), column = static_cast<double>(at.cell.column);
  const bool inside = row >= seen.row0 && row + 1 <= seen.row0 + seen.rows && column >= seen.column0 &&
                      column + 1 <= seen.column0 + seen.columns;
  if (!seen.fitted() && !inside) seen = {};
}

std::vector<CellRange> ranges_in(const std::vector<LinkedCells>& linked, const Trace& trace, StageId stage,
                                 std::int64_t batch, std::int64_t slice) {
  std::vector<CellRange> found;
  const Stage* held = trace.find(stage);
  if (held == nullptr) return found;
  const MatrixLayout layout = stage_layout(stage);
  const auto holds = [](const Range& range, std::int64_t at) { return at >= range.begin && at < range.end; };
  for (const LinkedCells& cells : linked) {
    if (cells.stage != stage || cells.region.count != held->tensor.rank()) continue;
    if (!holds(cells.region[layout.batch], batch)) continue;
    if (layout.head >= 0 && !holds(cells.region[layout.head], slice)) continue;
    const CellRange range{cells.region[layout.rows], cells.region[layout.columns]};
    if (std::find(found.begin(), found.end(), range) == found.end()) found.push_back(range);
  }
  return found;
}

TokenPair tokens_of(const Trace& trace, const CellPlace& place) {
  const SlicePlace at = slice_place(place);
  if (is_score_like(place.stage)) return {at.cell.row, at.cell.column};
  if (rows_are_keys(place.stage)) return {-1, at.cell.row};
  if (place.stage == StageId::concat && is_inside(trace, place)) {
    return {provenance_of(trace.request.merge, trace.num_heads(), trace.query_len(), trace.inputs->value_head_dim,
                          at.cell.row, at.cell.column)
                .position,
            -1};
  }
  return {at.cell.row, -1};
}

Rgba role_color(const Ui& ui, TextRole role) {
  switch (role) {
    case TextRole::strong:
      return ui.colors.text;
    case TextRole::query:
      return ui.colors.query;
    case TextRole::key:
      return ui.colors.key;
    case TextRole::value:
      return ui.colors.value;
    case TextRole::link:
      return ui.colors.accent;
    case TextRole::plain:
      break;
  }
  return ui.colors.text2;
}

namespace {

// "query it → key animal · head 3", or "token it".
std::vector<RoleText> row_words(PanelData& data, const CellPlace& place) {
  const SlicePlace at = slice_place(place);
  const std::string row = token_or_index(data.rows(place.stage), at.cell.row);
  if (is_score_like(place.stage)) {
    return {{"query ", TextRole::plain},
            {row, TextRole::query},
            {" → key ", TextRole::plain},
            {token_or_index(data.columns(place.stage), at.cell.column), TextRole::key},
            {fmt::format(" · head {}", at.slice), TextRole::plain}};
  }
  const bool key_side = rows_are_keys(place.stage);
  return {{key_side ? "key token " : "token ", TextRole::plain}, {row, key_side ? TextRole::key : TextRole::query}};
}

// " · column 70 = head 1, feature 6": what the column is in the sizes of the stage; "" where the row's words say it.
std::string column_words(const Trace& trace, const CellPlace& place) {
  using Size = StageSize;
  const SlicePlace at = slice_place(place);
  const std::int64_t column = at.cell.column;
  const Inputs& inputs = *trace.inputs;
  const bool grouped = inputs.num_kv_heads != inputs.num_heads;
  const std::vector<StageAxis>& axes = stage_info(place.stage).axes;
  const Size columns = axes.back().size;
  switch (columns) {
    case Size::qkv_rows:
      return fmt::format(" · column {} = {}", column, fused_column(trace, column));
    case Size::head_qkv:
      return fmt::format(" · head {}, {} feature {}", at.slice, part_name(column / inputs.head_dim),
                         column % inputs.head_dim);
    case Size::query_features:
    case Size::key_features:
    case Size::value_features: {
      const std::int64_t features = columns == Size::value_features ? inputs.value_head_dim : inputs.head_dim;
      return fmt::format(" · column {} = {} {}, feature {}", column,
                         grouped && columns != Size::query_features ? "kv head" : "head", column / features,
                         column % features);
    }
    case Size::head_dim:
    case Size::value_head_dim: {
      const Size heads = axes[static_cast<std::size_t>(stage_layout(place.stage).head)].size;
      return fmt::format(" · {} {}, feature {}", grouped && heads == Size::kv_heads ? "kv head" : "head", at.slice,
                         column);
    }
    case Size::input_dim:
    case Size::key_input_dim:
    case Size::value_input_dim:
    case Size::output_rows:
      return fmt::format(" · feature {}", column);
    default:
      return "";
  }
}

// Of a cell of concat. Merged wrongly, the token that the number is of comes first.
std::vector<RoleText> merged_words(PanelData& data, const CellPlace& place) {
  const Trace& trace = data.trace();
  const Cell cell = slice_place(place).cell;
  const Provenance from = provenance_of(trace.request.merge, trace.num_heads(), trace.query_len(),
                                        trace.inputs->value_head_dim, cell.row, cell.column);
  if (from.position == cell.row) {
    std::vector<RoleText> words = row_words(data, place);
    words.push_back(
        {fmt::format(" · column {} = head {}, feature {}", cell.column, from.head, from.feature), TextRole::plain});
    return words;
  }
  return {{"of token ", TextRole::plain},
          {token_or_index(data.rows(StageId::context), from.position), TextRole::query},
          {fmt::format(", head {}, feature {}; in row {}", from.head, from.feature,
                       token_or_index(data.rows(place.stage), cell.row)),
           TextRole::plain}};
}

}  // namespace

std::vector<RoleText> cell_words(PanelData& data, const CellPlace& place) {
  const Trace& trace = data.trace();
  const bool merged = stage_info(place.stage).axes.back().size == StageSize::concat_features;
  std::vector<RoleText> words = merged ? merged_words(data, place) : row_words(data, place);
  if (!merged) {
    if (std::string column = column_words(trace, place); !column.empty()) {
      words.push_back({std::move(column), TextRole::plain});
    }
  }
  if (trace.inputs->batch > 1) {
    words.push_back({fmt::format(" · sequence {}", slice_place(place).batch), TextRole::plain});
  }
  return words;
}

}  // namespace headscope::ui

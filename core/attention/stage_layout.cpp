#include "core/attention/stage_layout.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/model/past.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// `names` cut or filled up with indices to `count`.
std::vector<std::string> exactly(std::vector<std::string> names, std::int64_t count) {
  names.resize(std::min(names.size(), static_cast<std::size_t>(count)));
  for (auto i = static_cast<std::int64_t>(names.size()); i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace

bool rows_are_keys(StageId stage) {
  const StageSize rows = stage_info(stage).axes[static_cast<std::size_t>(stage_layout(stage).rows)].size;
  return rows == StageSize::key_tokens || rows == StageSize::keys;
}

MatrixLayout stage_layout(StageId stage) {
  const std::vector<StageAxis>& axes = stage_info(stage).axes;
  MatrixLayout layout;
  layout.columns = static_cast<int>(axes.size()) - 1;
  for (int at = 0; at < layout.columns; ++at) {
    const Axis axis = axes[static_cast<std::size_t>(at)].axis;
    if (axis == Axis::batch) layout.batch = at;
    if (axis == Axis::head) layout.head = at;
    if (axis == Axis::position || axis == Axis::query) layout.rows = at;
  }
  // A number of every head and query: heads are the rows.
  if (axes.back().axis == Axis::query) {
    layout.rows = layout.head;
    layout.head = -1;
  }
  return layout;
}

Tensor heads_first(StageId stage, const Tensor& tensor) {
  const MatrixLayout layout = stage_layout(stage);
  if (layout.head < layout.rows) return tensor;
  return tensor.permuted({layout.batch, layout.head, layout.rows, layout.columns});
}

PerAxis<int> axes_order(StageId from, StageId to) {
  const std::vector<StageAxis>& axes = stage_info(from).axes;
  PerAxis<int> order;
  for (const StageAxis& axis : stage_info(to).axes) {
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const StageAxis& own) { return own.size == axis.size; });
    HEADSCOPE_ASSERT(found != axes.end(), std::string(stage_name(from)) + " to " + std::string(stage_name(to)));
    order.push_back(static_cast<int>(found - axes.begin()));
  }
  return order;
}

std::int64_t slice_count(const Trace& trace, StageId stage) {
  const int head = stage_layout(stage).head;
  return head < 0 ? 1 : trace.tensor(stage).dim(head);
}

std::int64_t slice_of_head(const Trace& trace, StageId stage, std::int64_t head) {
  const std::int64_t slices = slice_count(trace, stage);
  const std::int64_t heads = std::max<std::int64_t>(1, trace.num_heads());
  return std::clamp<std::int64_t>(head * slices / heads, 0, std::max<std::int64_t>(0, slices - 1));
}

Tensor slice_of(StageId stage, const Tensor& tensor, std::int64_t batch, std::int64_t head, Range rows, Range columns) {
  return matrix_of(tensor, stage_layout(stage), batch, head, rows, columns);
}

std::vector<std::string> row_tokens(const Trace& trace, StageId stage) {
  if (!rows_are_keys(stage)) return trace.query_labels();
  std::vector<std::string> labels = trace.key_labels();
  const StageSize rows = stage_info(stage).axes[static_cast<std::size_t>(stage_layout(stage).rows)].size;
  if (rows == StageSize::key_tokens) labels.erase(labels.begin(), labels.begin() + past_len(*trace.inputs));
  return labels;
}

std::vector<std::string> row_names_of(const Trace& trace, StageId stage) {
  const int axis = stage_layout(stage).rows;
  const std::int64_t rows = trace.tensor(stage).dim(axis);
  if (stage_info(stage).axes[static_cast<std::size_t>(axis)].axis == Axis::head) return exactly({}, rows);
  return exactly(row_tokens(trace, stage), rows);
}

std::vector<std::string> column_names_of(const Trace& trace, StageId stage) {
  const std::int64_t columns = trace.tensor(stage).dim(stage_layout(stage).columns);
  if (stage_info(stage).axes.back().axis == Axis::query) return exactly(trace.query_labels(), columns);
  return exactly(is_score_like(stage) ? trace.key_labels() : std::vector<std::string>{}, columns);
}

const char* csv_corner(StageId stage) {
  if (stage_info(stage).axes.back().axis == Axis::query) return "head\\query";
  return is_score_like(stage) ? "query\\key" : "token\\feature";
}

}  // namespace headscope

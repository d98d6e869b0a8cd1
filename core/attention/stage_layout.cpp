#include "core/attention/stage_layout.h"

#include <algorithm>

namespace headscope {

namespace {

bool is_3d(StageId stage) {
  switch (stage) {
    case StageId::input:
    case StageId::key_input:
    case StageId::value_input:
    case StageId::qkv:
    case StageId::query_proj:
    case StageId::key_proj:
    case StageId::value_proj:
    case StageId::concat:
    case StageId::output:
      return true;
    default:
      return false;
  }
}

// `names` cut or filled up with indices to `count`.
std::vector<std::string> exactly(std::vector<std::string> names, std::int64_t count) {
  names.resize(std::min(names.size(), static_cast<std::size_t>(count)));
  for (auto i = static_cast<std::int64_t>(names.size()); i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace

bool rows_are_keys(StageId stage) {
  switch (stage) {
    case StageId::key_input:
    case StageId::value_input:
    case StageId::key_proj:
    case StageId::value_proj:
    case StageId::key:
    case StageId::value:
      return true;
    default:
      return false;
  }
}

MatrixLayout stage_layout(StageId stage) {
  if (is_3d(stage)) return {0, -1, 1, 2};
  if (stage == StageId::qkv_split) return {0, 2, 1, 3};
  return {0, 1, 2, 3};
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

std::vector<std::string> row_names_of(const Trace& trace, StageId stage) {
  const std::int64_t rows = trace.tensor(stage).dim(stage_layout(stage).rows);
  return exactly(rows_are_keys(stage) ? trace.key_labels() : trace.query_labels(), rows);
}

std::vector<std::string> column_names_of(const Trace& trace, StageId stage) {
  const std::int64_t columns = trace.tensor(stage).dim(stage_layout(stage).columns);
  return exactly(is_score_like(stage) ? trace.key_labels() : std::vector<std::string>{}, columns);
}

const char* csv_corner(StageId stage) {
  return is_score_like(stage) ? "query\\key" : "token\\feature";
}

}  // namespace headscope

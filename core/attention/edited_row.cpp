#include "core/attention/edited_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/request/stage_info.h"

namespace headscope {

std::string row_sum_text(const Trace& trace, std::span<const std::int64_t> index) {
  const Stage* weights = trace.find(StageId::weights);
  if (weights == nullptr || index.size() != 4) return "";
  const Shape& shape = weights->tensor.shape();
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t at = index[static_cast<std::size_t>(axis)];
    if (at < 0 || at >= shape[axis]) return "";
  }
  std::vector<float> row(static_cast<std::size_t>(shape[3]));
  weights->tensor.read({{index[0], index[0] + 1}, {index[1], index[1] + 1}, {index[2], index[2] + 1}, {0, shape[3]}},
                       row);
  double sum = 0;
  for (const float weight : row) sum += static_cast<double>(weight);
  // Beside a learned sink the keys' weights are less than 1 by what it takes.
  const Stage* sinks = trace.find(StageId::sink_weights);
  if (sinks != nullptr) sum += static_cast<double>(sinks->tensor.at({index[0], index[1], index[2]}));
  if (std::abs(sum - 1) <= 1e-6) return "";
  return fmt::format("its row{} now sums to {:.4g}", sinks == nullptr ? "" : " with its sink", sum);
}

std::string edited_row_text(const Trace& trace, const NumberEdit& edit) {
  const std::vector<NumberEdit>& edits = trace.request.edits;
  const bool computed_with = std::find(edits.begin(), edits.end(), edit) != edits.end();
  if (!edit.on || !computed_with || edit.tensor != stage_name(StageId::weights)) return "";
  const Trace* of = &trace;
  if (trace.model != nullptr && edit.layer) {
    const auto layer = static_cast<std::size_t>(*edit.layer);
    if (*edit.layer < 0 || layer >= trace.model->layers.size()) return "";
    if (*edit.layer != trace.model->layer) of = trace.model->layers[layer].get();
  }
  return of == nullptr ? "" : row_sum_text(*of, edit.index);
}

}  // namespace headscope

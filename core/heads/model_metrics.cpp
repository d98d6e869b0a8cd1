#include "core/heads/model_metrics.h"

#include "core/attention/model_trace.h"

namespace headscope {
namespace {

void add_layer(std::vector<HeadMetricsRow>& rows, const Trace& trace, std::int64_t batch, std::int64_t layer,
               const CancelToken& cancel) {
  if (trace.find(StageId::weights) == nullptr) return;
  const TokenPlaces places(trace);
  for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
    rows.push_back({batch, layer, h, head_metrics(trace, batch, h, places, cancel)});
  }
}

}  // namespace

std::vector<HeadMetricsRow> metrics_of_all_heads(const Trace& trace, const CancelToken& cancel) {
  std::vector<HeadMetricsRow> rows;
  for (std::int64_t b = 0; b < trace.inputs->batch; ++b) {
    if (trace.model == nullptr) {
      add_layer(rows, trace, b, trace.request.layer.value_or(0), cancel);
      continue;
    }
    const auto& layers = trace.model->layers;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      if (layers[l] != nullptr) add_layer(rows, *layers[l], b, static_cast<std::int64_t>(l), cancel);
    }
  }
  return rows;
}

}  // namespace headscope

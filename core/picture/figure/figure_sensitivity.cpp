// What one cell depends on: its derivative by every score or weight of a head.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/shown_mask.h"
#include "core/explain/explain.h"
#include "core/explain/sensitivity.h"
#include "core/picture/figure/figure.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {

namespace {

// The cell that the view asks for, which is there.
Index target_of(const Trace& trace, const ViewSpec& view) {
  const Stage* const stage = trace.find(view.stage);
  if (stage == nullptr) {
    throw UsageError("stage", fmt::format("this request has no stage {}", stage_name(view.stage)));
  }
  const Shape& shape = stage->tensor.shape();
  const auto count = static_cast<std::size_t>(shape.count);
  if (view.at.size() != count) {
    throw UsageError("at", fmt::format("found {} numbers; the sensitivity of {} {} needs {}", view.at.size(),
                                       stage_name(view.stage), to_string(shape), count == 4 ? "B,H,I,J" : "B,I,J"));
  }
  Index index;
  for (std::size_t axis = 0; axis < count; ++axis) {
    const std::int64_t at = view.at[axis], length = shape[static_cast<int>(axis)];
    if (at < 0 || at >= length) {
      throw UsageError(
          "at", fmt::format("{} asked for on axis {} of {} {}", at, axis, stage_name(view.stage), to_string(shape)));
    }
    index.push_back(at);
  }
  return index;
}

double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (const float value : tensor.values()) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  return largest;
}

}  // namespace

Tensor sensitivity_matrix(const Trace& trace, const ViewSpec& view, const CancelToken& cancel, double* largest) {
  const Index index = target_of(trace, view);
  if (const auto problem = sensitivity_problem(trace)) throw UsageError("view", "no derivatives: " + *problem);
  if (view.head < 0 || view.head >= trace.num_heads()) {
    throw UsageError("head", fmt::format("{} asked for, the heads are 0 to {}", view.head, trace.num_heads() - 1));
  }
  const Sensitivity found = sensitivity(trace, view.stage, index, cancel);
  const SensitivityBy by = view.by.value_or(usual_by(view.stage));
  const Tensor& all = by == SensitivityBy::scores ? found.scores : found.weights;
  if (all.empty()) {
    throw UsageError("by", fmt::format("{} does not come from {}", cell_name(stage_name(view.stage), index),
                                       sensitivity_by_name(by)));
  }
  if (largest != nullptr) *largest = largest_of(all);
  return all.sliced(0, view.head, view.head + 1).reshaped({all.dim(1), all.dim(2)}, {Axis::query, Axis::key});
}

void plan_sensitivity(Sheet& sheet, const CancelToken& cancel) {
  const ViewSpec& view = sheet.view;
  const Trace& trace = sheet.trace;
  const Index target = target_of(trace, view);
  const StagePicture weights(trace, StageId::weights, view);
  const std::string by(sensitivity_by_name(view.by.value_or(usual_by(view.stage))));
  double largest = 0;
  OneMap map;
  map.rows = weights.rows();
  map.columns = weights.columns();
  map.names = weights.names();
  map.title.head = view.head;
  map.title.name = fmt::format("d {} / d {}", stage_name(view.stage), by);
  map.title.fact = fmt::format("of {} \u00b7 head {}", cell_name(stage_name(view.stage), target), view.head);
  const Tensor matrix = sensitivity_matrix(trace, view, cancel, &largest);
  map.spec = spec_of_signed(sheet, matrix, largest);
  map.spec.mask = shown_mask(trace, StageId::weights);
  map.spec.batch = target[0];
  map.spec.head = view.head;
  map.legend = [&](const MapSize& size) {
    std::vector<Span> spans =
        legend_of_axes(sheet, "derivative by " + by, ", one range for all heads, centred on zero", true);
    const std::string pooled = pooled_note(size, map.rows, map.columns, "derivative");
    if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, sheet.colors.text2});
    return spans;
  };
  plan_one_map(sheet, map);
}

}  // namespace headscope

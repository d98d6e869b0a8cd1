#include "core/compare/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/assert.h"
#include "core/compare/rounded_forward.h"
#include "core/request/intervention_kinds.h"

namespace headscope {

const StageError* FormatRun::find(StageId stage) const {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [=](const StageError& each) { return each.stage == stage; });
  return found == stages.end() ? nullptr : &*found;
}

namespace {

double products_of(const Trace& trace) {
  const Inputs& in = *trace.inputs;
  const auto real = [](std::int64_t number) { return static_cast<double>(number); };
  const double rows = real(in.batch) * real(in.query_len), cells = rows * real(trace.key_len()) * real(in.num_heads);
  double products = cells * real(in.head_dim + in.value_head_dim);
  if (in.query.empty()) {
    const double width = real(in.num_heads * in.head_dim + in.num_kv_heads * (in.head_dim + in.value_head_dim));
    const double most_rows = real(in.batch) * real(std::max(in.query_len, in.key_len));
    // A fused projection is a stage of its own before it is taken apart.
    products += most_rows * real(in.x.dim(2)) * width * (in.weights.fused() ? 2 : 1);
    products += rows * real(in.weights.output.weight.size());
  }
  return products;
}

// Whether the cell holds what the mask put there: that is not computed.
bool is_hidden_score(const Trace& trace, StageId stage, const Index& index) {
  const bool masked = stage == StageId::masked_scores ||
                      (stage == StageId::scores && trace.request.mask_order == MaskOrder::before_scale);
  return masked && trace.mask->hidden.hidden(index[0], index[1], index[2], index[3]);
}

void step(Index& index, const Shape& shape) {
  for (int axis = shape.count - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis) index[axis] = 0;
}

// The error of one stage, cell by cell, which it also writes to `errors`.
StageError stage_error(const Trace& trace, const Stage& stage, const std::vector<double>& exact,
                       const std::vector<double>& value, std::vector<float>& errors) {
  StageError result;
  result.stage = stage.id;
  errors.assign(exact.size(), 0.0F);
  const Shape& shape = stage.tensor.shape();
  Index index = shape;
  std::fill(index.values.begin(), index.values.end(), 0);
  double sum = 0;
  for (std::size_t k = 0; k < exact.size(); ++k, step(index, shape)) {
    if (is_hidden_score(trace, stage.id, index)) continue;
    if (!std::isfinite(exact[k])) continue;
    if (!std::isfinite(value[k])) {
      ++result.lost;
      errors[k] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const double error = std::abs(value[k] - exact[k]);
    errors[k] = static_cast<float>(error);
    sum += error;
    ++result.cells;
    if (error <= result.max_error) continue;
    result.max_error = error;
    result.cell = index;
    result.exact = exact[k];
    result.value = value[k];
  }
  result.mean_error = result.cells > 0 ? sum / static_cast<double>(result.cells) : 0;
  return result;
}

Tensor tensor_of(const Tensor& like, const std::vector<double>& values) {
  std::vector<float> single(values.size());
  std::transform(values.begin(), values.end(), single.begin(), [](double value) { return static_cast<float>(value); });
  return Tensor::of(like.shape(), like.axes(), std::move(single));
}

// `trace` with other numbers in its stages.
std::shared_ptr<Trace> without_stages(const Trace& trace) {
  auto result = std::make_shared<Trace>(trace);
  result->stages.clear();
  return result;
}

FormatRun run_of(const Trace& trace, NumberType format, const WideStages& exact, const CancelToken& cancel) {
  FormatRun run;
  run.format = format;
  const WideStages made = format == NumberType::float32 ? WideStages() : forward_in_format(trace, format, cancel);
  const auto values = without_stages(trace), errors = without_stages(trace);
  for (const Stage& stage : trace.stages) {
    cancel.check();
    std::vector<double> numbers;
    if (format == NumberType::float32) {
      for (const float value : stage.tensor.values()) numbers.push_back(static_cast<double>(value));
    } else {
      numbers = made.at(stage.id).values;
    }
    std::vector<float> apart;
    run.stages.push_back(stage_error(trace, stage, exact.at(stage.id).values, numbers, apart));
    Stage copy = stage;
    copy.tensor = tensor_of(stage.tensor, numbers);
    values->stages.push_back(copy);
    copy.tensor = Tensor::of(stage.tensor.shape(), stage.tensor.axes(), std::move(apart));
    errors->stages.push_back(std::move(copy));
  }
  run.trace = values;
  run.error = errors;
  return run;
}

}  // namespace

std::string precision_refusal(const Trace& trace) {
  if (trace.find(StageId::raw_scores) == nullptr) {
    return "These weights came without their queries and keys: they cannot be computed in another format.";
  }
  if (any_acts(trace.request, InterventionEffect::numbers)) {
    return "Numbers are changed by hand here: precision is shown of what the formulas give. Switch the interventions "
           "off.";
  }
  for (const Stage& stage : trace.stages) {
    if (stage.tensor.size() <= kMostPrecisionCells) continue;
    return fmt::format("{} is {}: formats are compared up to {} numbers a stage.", stage_name(stage.id),
                       to_string(stage.tensor.shape()), kMostPrecisionCells);
  }
  if (products_of(trace) > kMostPrecisionProducts) {
    return fmt::format("This layer takes {:.1e} multiplications: formats are compared up to {:.0e}.",
                       products_of(trace), kMostPrecisionProducts);
  }
  return "";
}

PrecisionReport precision_report(const std::shared_ptr<const Trace>& trace, const CancelToken& cancel) {
  HEADSCOPE_ASSERT(precision_refusal(*trace).empty(), precision_refusal(*trace));
  const WideStages exact = forward_in_double(*trace, cancel);
  PrecisionReport report;
  const auto shown = without_stages(*trace);
  for (const Stage& stage : trace->stages) {
    const WideStage& wide = exact.at(stage.id);
    HEADSCOPE_ASSERT(
        wide.shape == stage.tensor.shape(),
        to_string(wide.shape) + " of " + std::string(stage_name(stage.id)) + " " + to_string(stage.tensor.shape()));
    Stage copy = stage;
    copy.tensor = tensor_of(stage.tensor, wide.values);
    shown->stages.push_back(std::move(copy));
  }
  report.exact = shown;
  for (const NumberType format : {NumberType::float32, NumberType::float16, NumberType::bfloat16}) {
    report.formats.push_back(run_of(*trace, format, exact, cancel));
  }
  return report;
}

}  // namespace headscope

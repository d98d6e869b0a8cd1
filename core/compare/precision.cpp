#include "core/compare/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/assert.h"
#include "core/compare/rounded_forward.h"
#include "core/compare/stage_errors.h"
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

// Whether the engine has computed these numbers already.
bool is_engines_own(const Rounding& rounding) {
  return rounding.format->kind == PrecisionFormat::Kind::each_number && rounding.format->grid == nullptr &&
         rest_is_float32(rounding);
}

FormatRun run_of(const Trace& trace, const Rounding& rounding, const WideStages& exact, const CancelToken& cancel) {
  FormatRun run;
  run.rounding = rounding;
  const bool own = is_engines_own(rounding);
  const WideStages made = own ? WideStages() : forward_rounded(trace, rounding, cancel);
  const auto values = without_stages(trace), errors = without_stages(trace);
  for (const Stage& stage : trace.stages) {
    cancel.check();
    std::vector<double> numbers;
    if (own) {
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

std::vector<Rounding> usual_roundings() {
  std::vector<Rounding> roundings;
  for (const char* option : {"f32", "f16", "bf16"}) {
    roundings.push_back(rounding_of(*find_precision_format(option), Rounded::usual));
  }
  return roundings;
}

std::string precision_refusal(const Trace& trace, std::span<const Rounding> roundings) {
  bool sums = false;
  for (const Rounding& rounding : roundings) {
    if (std::string refusal = rounding_refusal(rounding); !refusal.empty()) return refusal;
    sums = sums || rounding.parts.accumulation;
  }
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
  if (sums && products_of(trace) > kMostSummedProducts) {
    return fmt::format("This layer takes {:.1e} multiplications: sums are rounded after every addition up to {:.0e}.",
                       products_of(trace), kMostSummedProducts);
  }
  return "";
}

PrecisionReport precision_report(const std::shared_ptr<const Trace>& trace, std::span<const Rounding> roundings,
                                 const CancelToken& cancel) {
  HEADSCOPE_ASSERT(precision_refusal(*trace, roundings).empty(), precision_refusal(*trace, roundings));
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
  for (const Rounding& rounding : roundings) report.formats.push_back(run_of(*trace, rounding, exact, cancel));
  return report;
}

}  // namespace headscope

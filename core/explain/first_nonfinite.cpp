#include "core/explain/first_nonfinite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "core/attention/model_trace.h"
#include "core/attention/stage_statistics.h"
#include "core/explain/explain.h"
#include "core/request/stage_info.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

bool counts(StageId stage, float value) {
  return !std::isfinite(value) && !(stage == StageId::masked_scores && value == kHidden);
}

// The index of the number at a place of a tensor in row-major order.
Index index_at(const Shape& shape, std::int64_t place) {
  Index index;
  for (int axis = 0; axis < shape.count; ++axis) index.push_back(0);
  for (int axis = shape.count - 1; axis >= 0; --axis) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return index;
}

NonfiniteStage counted_stage(const Stage& stage) {
  NonfiniteStage found{stage.id};
  std::int64_t before = 0;
  for_each_row(stage.tensor, [&](const Index&, std::int64_t, std::span<const float> values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!counts(stage.id, values[k])) continue;
      if (found.first < 0) found.first = before + static_cast<std::int64_t>(k);
      (std::isnan(values[k]) ? found.nan : found.infinite) += 1;
    }
    before += static_cast<std::int64_t>(values.size());
  });
  return found;
}

bool is_large(double value) {
  return !std::isfinite(value) || std::fabs(value) > static_cast<double>(FLT_MAX);
}

// The sum of a cell, whose factors are finite.
std::string cause_of_sum(const Explanation& why) {
  for (const ExplainTerm& term : why.terms) {
    if (is_large(term.product())) {
      return fmt::format("the product {} · {} passes 3.4e38", operand_text(term.left), operand_text(term.right));
    }
  }
  if (!is_large(why.magnitude)) return "";
  return fmt::format("the sum of {} products passes 3.4e38", why.terms.size());
}

// A row of weights whose keys are all hidden.
bool sees_nothing(const Explanation& why) {
  return why.stage == StageId::weights && !why.operands.empty() &&
         std::all_of(why.operands.begin(), why.operands.end(),
                     [](const Operand& each) { return each.value == static_cast<double>(kHidden); });
}

std::string cause_of(const Trace& trace, StageId stage, const Index& index) {
  const Explanation why = explain(trace, stage, index);
  if (sees_nothing(why)) return "no key of its row is visible, and the softmax of -inf alone is no number";
  for (const Operand& operand : why.operands) {
    if (std::isfinite(operand.value) || operand.value == static_cast<double>(kHidden)) continue;
    return fmt::format("{} is {}", cell_name(operand.stage, operand.index), operand_text(operand.value));
  }
  if (!why.terms.empty()) return cause_of_sum(why);
  if (why.operands.empty()) return "it was read so";
  for (const ExplainStep& step : why.steps) {
    if (is_large(step.value)) return fmt::format("{}: {} passes 3.4e38", step.name, step.expression);
  }
  return "";
}

// Why what enters a layer is not finite. `before`: the layer before it, which is finite; null: it was not computed.
std::string before_the_layer(const Trace* before, std::int64_t layer) {
  return before == nullptr
             ? fmt::format("it comes from layer {}, whose numbers are not kept", layer)
             : fmt::format("it comes from behind the attention of layer {}, whose numbers are finite", layer);
}

std::optional<FirstNonfinite> found_in(const Trace& trace, const CancelToken& cancel) {
  FirstNonfinite found;
  found.stages = nonfinite_stages(trace, cancel);
  if (found.stages.empty()) return std::nullopt;
  const NonfiniteStage& begins = found.stages.front();
  const Tensor& tensor = trace.tensor(begins.stage);
  found.index = index_at(tensor.shape(), begins.first);
  found.value = static_cast<double>(tensor.at(found.index));
  found.cause = cause_of(trace, begins.stage, found.index);
  return found;
}

}  // namespace

std::vector<NonfiniteStage> nonfinite_stages(const Trace& trace, const CancelToken& cancel) {
  std::vector<NonfiniteStage> stages;
  for (const Stage& stage : trace.stages) {
    cancel.check();
    if (costly_numbers(trace, stage)) continue;
    const NonfiniteStage found = counted_stage(stage);
    if (found.all() > 0) stages.push_back(found);
  }
  return stages;
}

bool ends_nonfinite(const Trace& trace) {
  if (trace.stages.empty() || costly_numbers(trace, trace.stages.back())) return false;
  return counted_stage(trace.stages.back()).all() > 0;
}

std::optional<FirstNonfinite> first_nonfinite(const Trace& trace, const CancelToken& cancel) {
  if (trace.model == nullptr) return found_in(trace, cancel);
  for (std::size_t layer = 0; layer < trace.model->layers.size(); ++layer) {
    const Trace* const each = trace.model->layers[layer].get();
    if (each == nullptr) continue;
    if (auto found = found_in(*each, cancel)) {
      found->layer = static_cast<std::int64_t>(layer);
      if (layer > 0 && found->stages.front().stage == each->stages.front().id) {
        found->cause = before_the_layer(trace.model->layers[layer - 1].get(), *found->layer - 1);
      }
      return found;
    }
  }
  return std::nullopt;
}

std::string nonfinite_sentence(const FirstNonfinite& found) {
  const bool any_nan =
      std::any_of(found.stages.begin(), found.stages.end(), [](const NonfiniteStage& each) { return each.nan > 0; });
  std::string text =
      fmt::format("{}: {}{} is {}", any_nan ? "first NaN" : "first infinite number",
                  cell_name(stage_name(found.stages.front().stage), found.index),
                  found.layer ? fmt::format(" of layer {}", *found.layer) : "", operand_text(found.value));
  if (!found.cause.empty()) text += ": " + found.cause;
  for (std::size_t k = 1; k < found.stages.size(); ++k) {
    const std::int64_t count = found.stages[k].all();
    text += fmt::format("{} {} of {}", k == 1 ? ";" : ",",
                        k > 1 ? std::to_string(count) : fmt::format("{} number{}", count, count == 1 ? "" : "s"),
                        stage_name(found.stages[k].stage));
  }
  return text + (found.stages.size() > 1 ? " follow" : "");
}

}  // namespace headscope

#include "core/sweep/sweep_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/attention/model_trace.h"
#include "core/attention/patches.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/gradient/model_gradient.h"

namespace headscope {
namespace {

constexpr const char* kOption = "estimate";

// sum over the numbers of a stage of gradient * (new - own)
double change_of(const Tensor& gradient, const Tensor& own, const Tensor& put) {
  const std::vector<float> slopes = gradient.values(), before = own.values(), after = put.values();
  HEADSCOPE_ASSERT(slopes.size() == before.size() && before.size() == after.size(), to_string(own.shape()));
  double sum = 0;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double step = static_cast<double>(after[k]) - static_cast<double>(before[k]);
    if (step != 0) sum += static_cast<double>(slopes[k]) * step;
  }
  return sum;
}

std::vector<std::string> stages_of(const std::vector<SweepCell>& cells) {
  std::vector<std::string> stages;
  for (const SweepCell& cell : cells) {
    if (std::find(stages.begin(), stages.end(), cell.stage) == stages.end()) stages.push_back(cell.stage);
  }
  return stages;
}

}  // namespace

void check_estimate(const Sweep& sweep, bool patches_clean) {
  check_slopes(kOption, sweep.metric, patches_clean || sweep.metric.against() == MetricReference::unpatched);
  check_gradient(kOption, *sweep.trace);
}

void estimate_cells(Sweep& sweep, const SweepSource& numbers, const CancelToken& cancel) {
  const LogitSlopes slopes = metric_slopes(*sweep.trace->model, sweep.metric, sweep.position, sweep.reference);
  const double way = sweep.ends ? sweep.ends->clean - sweep.ends->corrupt : 1.0;
  const ModelGradients gradients = model_gradients(kOption, *sweep.trace, slopes, stages_of(sweep.cells), cancel);
  Tensor own;  // of the cell before, which often has the same stage
  const SweepCell* last = nullptr;
  for (SweepCell& cell : sweep.cells) {
    cancel.check();
    if (last == nullptr || last->layer != cell.layer || last->stage != cell.stage) {
      own = patch_numbers(*sweep.trace, cell.stage, cell.layer);
    }
    last = &cell;
    const Tensor* gradient = gradients.layers[static_cast<std::size_t>(cell.layer)].find(cell.stage);
    HEADSCOPE_ASSERT(gradient != nullptr, cell.stage);
    const Tensor put =
        with_patches(numbers.request_of(cell), *numbers.inputs_of(cell, cancel), cell.layer, cell.stage, own);
    cell.estimate = sweep.unpatched + change_of(*gradient, own, put) / way;
  }
}

std::optional<double> correlation_of(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || a.size() != b.size()) return {};
  const auto same = [](const std::vector<double>& of) {
    return std::all_of(of.begin(), of.end(), [&](double value) { return value == of.front(); });
  };
  if (same(a) || same(b)) return {};
  const auto count = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    mean_a += a[k] / count;
    mean_b += b[k] / count;
  }
  double both = 0, of_a = 0, of_b = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    both += (a[k] - mean_a) * (b[k] - mean_b);
    of_a += (a[k] - mean_a) * (a[k] - mean_a);
    of_b += (b[k] - mean_b) * (b[k] - mean_b);
  }
  const double correlation = both / std::sqrt(of_a * of_b);
  return std::isfinite(correlation) ? std::optional(correlation) : std::nullopt;
}

}  // namespace headscope

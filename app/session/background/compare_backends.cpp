#include "app/session/background/compare_backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/attention/forward.h"
#include "core/attention/input_problem.h"
#include "core/model/load_inputs.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

constexpr int kMostRuns = 7;
constexpr double kEnoughSeconds = 0.5;  // of runs of one backend, after the first

struct Timed {
  std::shared_ptr<const Trace> trace;
  double seconds = 0;  // the median
};

Timed timed_forward(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                    const std::shared_ptr<const Backend>& backend, const CancelToken& cancel) {
  Timed result;
  result.trace = forward(request, inputs, backend, cancel);
  std::vector<double> seconds;
  double spent = 0;
  while (seconds.empty() || (static_cast<int>(seconds.size()) < kMostRuns && spent < kEnoughSeconds)) {
    result.trace = forward(request, inputs, backend, cancel);
    seconds.push_back(result.trace->seconds);
    spent += seconds.back();
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  result.seconds = seconds[seconds.size() / 2];
  return result;
}

std::string milliseconds_text(const Timed& timed) {
  const double ms = timed.seconds * 1e3;
  return fmt::format("{}: {:.{}f} ms.", timed.trace->backend_description, ms, ms < 1 ? 2 : ms < 100 ? 1 : 0);
}

struct Difference {
  double largest = 0, size = 0;  // of a difference, and of a number
  bool same_nan = true;
};

Difference difference_of(const Tensor& a, const Tensor& b) {
  Difference result;
  const std::vector<float> left = a.values(), right = b.values();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::isnan(left[i]) || std::isnan(right[i])) {
      result.same_nan = result.same_nan && std::isnan(left[i]) == std::isnan(right[i]);
      continue;
    }
    result.size = std::max(result.size, std::abs(static_cast<double>(left[i])));
    if (left[i] == right[i]) continue;  // infinities too
    result.largest = std::max(result.largest, std::abs(static_cast<double>(left[i]) - right[i]));
  }
  return result;
}

// Of the stages that both keep: what is read from a large one would take longer than to compute it.
std::string difference_text(const Trace& one, const Trace& other) {
  std::string text;
  bool same_nan = true;
  for (const StageId stage : {StageId::weights, StageId::context, StageId::output}) {
    const Stage* a = one.find(stage);
    const Stage* b = other.find(stage);
    if (a == nullptr || b == nullptr || !a->tensor.stored() || !b->tensor.stored()) continue;
    const Difference difference = difference_of(a->tensor, b->tensor);
    same_nan = same_nan && difference.same_nan;
    text += fmt::format("{} {:.1e} of {:.2g} ({})", text.empty() ? "" : ",", difference.largest, difference.size,
                        stage_name(stage));
  }
  if (text.empty()) return "";
  return fmt::format(" Largest difference{}.{}", text, same_nan ? "" : " NaN in other places.");
}

}  // namespace

std::string compare_backends(const Request& given, const BackendFactory& make, const CancelToken& cancel,
                             const std::function<void(double)>& progress) {
  Request request = given;
  request.patches.clear();  // what is taken from another run is not computed
  if (const auto problem = find_problem(request)) throw ProblemError(*problem);
  InputCache cache;
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache, cancel));
  if (const auto problem = find_problem(request, *inputs)) throw ProblemError(*problem);
  progress(0.05);
  const auto made = [&](BackendChoice choice) { return make({choice, request.threads, false}); };
  const Timed cpu = timed_forward(request, inputs, made(BackendChoice::cpu), cancel);
  progress(0.4);
  std::string text = milliseconds_text(cpu);
  try {
    const Timed gpu = timed_forward(request, inputs, made(BackendChoice::gpu), cancel);
    text += ' ';
    text += milliseconds_text(gpu) + difference_text(*cpu.trace, *gpu.trace);
  } catch (const BackendError& error) {
    text += std::string(" No GPU: ") + error.what();
  }
  return text;
}

}  // namespace headscope

#include "core/compare/variant_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/attention/forward.h"
#include "core/attention/input_problem.h"
#include "core/base/assert.h"
#include "core/compare/mistakes.h"
#include "core/compare/variant_effect.h"

namespace headscope {

const std::vector<std::string_view>& variant_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (std::size_t k = 0; k < kContractVariants; ++k) result.push_back(known_mistakes()[k].name);
    return result;
  }();
  return names;
}

namespace {

Request without_variants(Request request) {
  request.merge = Merge::transpose;
  request.variants.clear();
  return request;
}

}  // namespace

Request with_variants(const Request& request, const std::vector<std::string>& names) {
  Altered what{without_variants(request), {}, false, false};
  for (const std::string& name : names) {
    const auto found = std::find(variant_names().begin(), variant_names().end(), name);
    HEADSCOPE_ASSERT(found != variant_names().end(), name);
    known_mistakes()[static_cast<std::size_t>(found - variant_names().begin())].make(what);
  }
  return what.request;
}

std::vector<std::string> variants_of(const Request& request) {
  std::vector<std::string> result;
  for (const std::string_view name : variant_names()) {
    const Request one = with_variants(request, {std::string(name)});
    const bool on = one.merge == Merge::direct ? request.merge == Merge::direct
                                               : std::find(request.variants.begin(), request.variants.end(),
                                                           one.variants.front()) != request.variants.end();
    if (on) result.emplace_back(name);
  }
  return result;
}

std::string rerun_refusal(const Trace& trace) {
  if (trace.find(StageId::raw_scores) == nullptr) {
    return "These weights came without their queries and keys: they cannot be computed in another way.";
  }
  for (const Stage& stage : trace.stages) {
    if (stage.tensor.size() <= kMostEffectCells) continue;
    return fmt::format("{} is {}: mistakes are compared up to {} numbers a stage.", stage_name(stage.id),
                       to_string(stage.tensor.shape()), kMostEffectCells);
  }
  return "";
}

std::optional<Problem> variant_problem(const Trace& trace, const std::vector<std::string>& names) {
  const Request request = with_variants(trace.request, names);
  if (std::optional<Problem> problem = find_problem(request)) return problem;
  return find_problem(request, *trace.inputs);
}

std::shared_ptr<const Trace> rerun(const Trace& trace, const std::vector<std::string>& names,
                                   const std::shared_ptr<const Backend>& backend, const CancelToken& cancel) {
  return forward(with_variants(trace.request, names), trace.inputs, backend, cancel);
}

std::shared_ptr<const Trace> difference_trace(const std::shared_ptr<const Trace>& right,
                                              const std::shared_ptr<const Trace>& wrong) {
  auto trace = std::make_shared<Trace>(*right);
  trace->stages.clear();
  for (const Stage& stage : right->stages) {
    const Stage* other = wrong->find(stage.id);
    if (other == nullptr || !(other->tensor.shape() == stage.tensor.shape())) continue;
    Stage difference = stage;
    difference.operation = "wrong − right";
    difference.equals_previous = false;
    difference.tensor =
        Tensor::computed(stage.tensor.shape(), stage.tensor.axes(),
                         [before = stage.tensor, after = other->tensor](const Region& region, std::span<float> out) {
                           after.read(region, out);
                           std::vector<float> right_values(out.size());
                           before.read(region, right_values);
                           for (std::size_t k = 0; k < out.size(); ++k) {
                             const float a = right_values[k], b = out[k];
                             out[k] = a == b || (std::isnan(a) && std::isnan(b)) ? 0.0F : b - a;
                           }
                         });
    trace->stages.push_back(std::move(difference));
  }
  return trace;
}

}  // namespace headscope

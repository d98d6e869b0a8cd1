#include "app/session/background/weight_gradient_work.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "app/session/background/sweeps.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/base/grouped_digits.h"

namespace headscope {
namespace {

void check_size(const Trace& trace) {
  const std::int64_t layers = std::ssize(trace.model->layers);
  const std::int64_t weights = layers * trace.num_heads() * trace.query_len() * trace.key_len();
  if (weights <= kMostGradientWeights) return;
  throw Error(
      fmt::format("There are {} attention weights; the window goes back through {} at most. `headscope-cli gradients` "
                  "has no limit.",
                  grouped_digits(weights), grouped_digits(kMostGradientWeights)));
}

}  // namespace

Gradients::Work weight_gradient_work(EngineOptions engine) {
  return [engine = std::move(engine)](const GradientsQuery& query, const CancelToken& cancel) {
    check_size(*query.trace);
    WeightQuestion question;
    question.request = query.trace->request;
    question.metric = query.metric.empty() ? fmt::format("logit:{}", said_token(*query.trace, cancel)) : query.metric;
    question.steps = query.steps;
    WeightGradients found = weight_gradients(engine, question, cancel);
    found.trace = query.trace;  // the same run, which the session keeps already
    return found;
  };
}

}  // namespace headscope

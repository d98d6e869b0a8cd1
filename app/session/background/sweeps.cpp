#include "app/session/background/sweeps.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "app/session/background/models/predictions.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"

namespace headscope {
namespace {

// The most probable token where a model predicts.
std::int64_t said_by(const Trace& trace, const CancelToken& cancel) {
  const ModelTrace& model = *trace.model;
  const std::array<std::int64_t, 1> at{predicted_position(model)};
  return predictions(model, 0, at, 1, *model.backend, cancel).front().top.front().id;
}

std::string usual_metric(const SweepQuery& query, const CancelToken& cancel) {
  const std::int64_t a = said_by(*query.a, cancel), b = said_by(*query.b, cancel);
  return a == b ? "kl" : fmt::format("logit:{}-{}", a, b);
}

SweepAnswer answer(const EngineOptions& engine, const SweepQuery& query, const CancelToken& cancel,
                   const Sweeps::Publish& publish) {
  constexpr std::chrono::milliseconds kBetween{60};
  SweepQuestion question;
  question.patched = query.b->request;
  question.source = query.a->request;
  if (query.direction == SweepDirection::noise) std::swap(question.patched, question.source);
  question.metric = query.metric.empty() ? usual_metric(query, cancel) : query.metric;
  question.patch = query.patch;
  std::optional<std::chrono::steady_clock::time_point> last;
  SweepAnswer whole;
  whole.sweep = sweep(engine, question, cancel, [&](const Sweep& so_far, std::size_t known) {
    const auto now = std::chrono::steady_clock::now();
    if (last && now - *last < kBetween) return;
    last = now;
    publish({so_far, known});
  });
  whole.known = whole.sweep.cells.size();
  return whole;
}

}  // namespace

Sweeps::WorkInParts sweep_work(EngineOptions engine) {
  return
      [engine = std::move(engine)](const SweepQuery& query, const CancelToken& cancel, const Sweeps::Publish& publish) {
        return answer(engine, query, cancel, publish);
      };
}

}  // namespace headscope

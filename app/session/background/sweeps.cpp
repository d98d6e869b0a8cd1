#include "app/session/background/sweeps.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "app/session/background/models/predictions.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/corpus/phrase_list.h"

namespace headscope {
namespace {

std::string usual_metric(const SweepQuery& query, const CancelToken& cancel) {
  const std::int64_t b = said_token(*query.b, cancel);
  if (query.ablation) return fmt::format("logit:{}", b);
  const std::int64_t a = said_token(*query.a, cancel);
  return a == b ? "kl" : fmt::format("logit:{}-{}", a, b);
}

SweepAnswer answer(const EngineOptions& engine, const SweepQuery& query, const CancelToken& cancel,
                   const Sweeps::Publish& publish) {
  constexpr std::chrono::milliseconds kBetween{60};
  const bool noise = !query.ablation && query.direction == SweepDirection::noise;
  const std::shared_ptr<const Trace>& patched = noise ? query.a : query.b;
  SweepQuestion question;
  question.patched = patched->request;
  if (!query.ablation) question.source = (noise ? query.b : query.a)->request;
  question.metric = query.metric.empty() ? usual_metric(query, cancel) : query.metric;
  question.patch = query.patch;
  question.ablation = query.ablation;
  if (!query.list.empty()) question.mean_over = whole_list("mean-over", query.list, cancel);
  question.estimate = query.estimate;
  question.from = query.from;
  question.into = query.into;
  question.direction = query.direction;
  std::optional<std::chrono::steady_clock::time_point> last;
  SweepAnswer whole;
  whole.sweep = sweep(engine, question, cancel, [&](const Sweep& so_far, std::size_t known) {
    const auto now = std::chrono::steady_clock::now();
    if (last && now - *last < kBetween) return;
    last = now;
    publish({so_far, known});
  });
  whole.known = whole.sweep.cells.size();
  // The same run is kept already: by the session, or as what is pinned.
  whole.sweep.trace = patched;
  return whole;
}

}  // namespace

std::int64_t said_token(const Trace& trace, const CancelToken& cancel) {
  const ModelTrace& model = *trace.model;
  const std::array<std::int64_t, 1> at{predicted_position(model)};
  return predictions(model, 0, at, 1, *model.backend, cancel).front().top.front().id;
}

Sweeps::WorkInParts sweep_work(EngineOptions engine) {
  return
      [engine = std::move(engine)](const SweepQuery& query, const CancelToken& cancel, const Sweeps::Publish& publish) {
        return answer(engine, query, cancel, publish);
      };
}

}  // namespace headscope

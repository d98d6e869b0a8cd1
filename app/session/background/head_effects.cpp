#include "app/session/background/head_effects.h"

#include <array>
#include <utility>

#include "app/session/background/models/predictions.h"
#include "app/session/background/runs_without.h"
#include "core/attention/model_trace.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

HeadEffect with_all_heads(const HeadEffectQuery& query, const Backend& backend, const CancelToken& cancel) {
  const ModelTrace& model = *query.trace->model;
  HeadEffect effect;
  effect.next_token = model.checkpoint->output_head().kind == OutputHead::Kind::next_token;
  effect.position = predicted_position(model);
  const std::array<std::int64_t, 1> at{effect.position};
  effect.top = predictions(model, query.batch, at, kMostEffects, backend, cancel).front().top;
  return effect;
}

}  // namespace

HeadEffects::WorkInParts head_effect_work(Compute compute, EngineOptions engine) {
  return [run_without = run_without_work(std::move(compute), std::move(engine))](
             const HeadEffectQuery& query, const CancelToken& cancel, const HeadEffects::Publish& publish) {
    const std::shared_ptr<const Backend> backend = make_cpu_backend(0);
    HeadEffect effect = with_all_heads(query, *backend, cancel);
    if (!query.without) return effect;
    publish(effect);
    try {
      const std::shared_ptr<const Trace> trace = run_without({query.trace, query.head}, cancel);
      std::vector<std::int64_t> ids;
      for (const TokenProbability& token : effect.top) ids.push_back(token.id);
      effect.without = probabilities_of(*trace->model, query.batch, effect.position, ids, *backend, cancel);
    } catch (const ProblemError&) {
      // A request that has the head in another way: there is no run without it.
    }
    return effect;
  };
}

}  // namespace headscope

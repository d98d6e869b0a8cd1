#include "app/session/background/runs_without.h"

#include <utility>

#include "core/request/intervention_list.h"

namespace headscope {
namespace {

// It keeps the files and the drawn weights of the last run between questions.
struct OwnEngine {
  OwnEngine(Compute by, EngineOptions options) : compute(std::move(by)), engine(std::move(options)) {}
  const Compute compute;
  Engine engine;
};

}  // namespace

RunsWithout::Work run_without_work(Compute compute, EngineOptions engine) {
  return [own = std::make_shared<OwnEngine>(std::move(compute), std::move(engine))](const RunWithoutQuery& query,
                                                                                    const CancelToken& cancel) {
    Request request = query.trace->request;
    put_ablated(request, query.head, true);
    return own->compute(request, own->engine, cancel, {});
  };
}

}  // namespace headscope

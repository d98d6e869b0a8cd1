// Runs requests and keeps between them what the next one may use again: contents of files, drawn weights, the backend
// with its threads and packed weights, the stages that do not change.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/attention/forward.h"
#include "core/attention/model_options.h"
#include "core/attention/trace.h"
#include "core/backend/backend_factory.h"
#include "core/base/cancel.h"
#include "core/request/problem.h"

namespace headscope {

struct EngineOptions {
  std::int64_t stage_memory = kDefaultStageMemory;  // bytes; larger stages are computed when read
  BackendFactory make_backend;                      // empty: core's own make_backend()
  bool reuse = false;             // use stages and memory of the last trace again: for requests that follow one another
  bool whole_model = false;       // of a checkpoint also compute the layers above the shown one, and final_hidden
  double preview_products = 3e8;  // least multiplications for which a replaced token has a preview: about 5 ms
  // The request of the session file of --patch-from; empty: requests with patches are refused.
  std::function<Request(const std::string& path)> read_request = {};
  std::chrono::steady_clock::duration between_early = kBetweenEarly;  // as ModelOptions has it
};

// Receives a trace of the running request that can be shown before the final one: a preview, or a layer of a model, as
// ModelOptions::early gets it.
using EarlyTrace = std::function<void(std::shared_ptr<const Trace>)>;

// One per session; only one thread uses it at a time.
class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // find_problem, load_inputs, find_problem again, forward; of a checkpoint every layer up to the one that is shown;
  // with whole_model `early` gets layers while others are computed. A request with patches runs that of
  // patch_from first, on the same backend, and keeps its result for the next one. When the backend fails
  // (BackendError), the CPU computes, and Trace::notice says why; the CPU then stays in use until a request names
  // another backend. Throws ProblemError for a request that cannot run, UsageError and Error as load_inputs does,
  // Cancelled. With `reuse`, `early` also gets the preview of a replaced token (preview.h). `early` runs on the calling
  // thread; it may be empty.
  std::shared_ptr<const Trace> run(const Request& request, const CancelToken& cancel, const EarlyTrace& early = {});

  // What run() of a request that reads no capture computes with: find_problem, load_inputs, find_problem again, and
  // nothing of it computed (but the run that its patches take numbers from). Files stay open for the next run. Throws
  // as run() does.
  std::shared_ptr<const Inputs> read(const Request& request, const CancelToken& cancel);

  // The run that the patches of the last request took their numbers from, A; null: none did.
  const std::shared_ptr<const Trace>& patch_source() const;

  // The next run reads files again even when they look unchanged.
  void forget_files();

  // Bytes of stages above which weights are computed when read; from the next run on.
  void set_stage_memory(std::int64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope

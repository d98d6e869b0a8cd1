// Runs requests and remembers between them what the next one may use again: what files and seeds gave, the backend
// with its threads and packed weights, the stages that do not change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/attention/forward.h"
#include "core/attention/trace.h"
#include "core/backend/backend_factory.h"
#include "core/base/cancel.h"
#include "core/model/inputs.h"
#include "core/request/problem.h"

namespace headscope {

struct EngineOptions {
  std::int64_t stage_memory = kDefaultStageMemory;  // bytes; larger stages are computed when read
  BackendFactory make_backend;                      // nothing: core's own
  bool reuse = false;             // stages of the last trace, and its memory: for requests that follow one another
  bool whole_model = false;       // of a checkpoint the layers above the shown one too, and final_hidden
  double preview_products = 3e8;  // multiplications from which a replaced token has a preview: about 5 ms of a core
};

// Takes a trace of the running request that is worth showing before the last one: a preview, or a part of it.
using EarlyTrace = std::function<void(std::shared_ptr<const Trace>)>;

// One per session; only one thread uses it at a time.
class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // find_problem, load_inputs, find_problem again, forward; of a checkpoint every layer up to the one that is shown,
  // which with whole_model goes to `early` before those above it. When the backend fails (BackendError), the CPU
  // computes, and Trace::notice says why; so it stays until another backend is asked for. Throws ProblemError for what
  // cannot run, UsageError and Error as load_inputs does, Cancelled. With
  // `reuse`, `early` also gets the preview of a replaced token (preview.h). The calling thread calls it.
  std::shared_ptr<const Trace> run(const Request& request, const CancelToken& cancel, const EarlyTrace& early = {});

  // The next run reads files again even when they look unchanged.
  void forget_files();

  // Bytes of stages above which weights are computed when read; from the next run on.
  void set_stage_memory(std::int64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope

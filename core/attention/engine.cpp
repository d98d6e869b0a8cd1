#include "core/attention/engine.h"

#include <optional>
#include <utility>

#include "core/attention/stage_buffers.h"

namespace headscope {

struct Engine::State {
  EngineOptions options;
  std::unique_ptr<InputCache> inputs = std::make_unique<InputCache>();

  BackendChoice choice = BackendChoice::automatic;
  int threads = 0;
  std::shared_ptr<const Backend> backend;
  std::string notice;  // of making it

  StageBuffers buffers;
  std::shared_ptr<const Trace> last;
  std::shared_ptr<const Backend> last_backend;

  const std::shared_ptr<const Backend>& backend_of(const Request& request) {
    if (backend == nullptr || request.backend != choice || request.threads != threads) {
      backend.reset();  // its threads end before others begin
      notice.clear();
      backend = options.make_backend ? options.make_backend(request.backend, request.threads, notice)
                                     : make_backend(request.backend, request.threads);
      choice = request.backend;
      threads = request.threads;
    }
    return backend;
  }
};

Engine::Engine(EngineOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

Engine::~Engine() = default;

void Engine::forget_files() {
  state_->inputs = std::make_unique<InputCache>();
}

void Engine::set_stage_memory(std::int64_t bytes) {
  state_->options.stage_memory = bytes;
}

std::shared_ptr<const Trace> Engine::run(const Request& request, const CancelToken& cancel) {
  if (const std::optional<Problem> problem = find_problem(request)) throw ProblemError(*problem);
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, *state_->inputs));
  if (const std::optional<Problem> problem = find_problem(request, *inputs)) throw ProblemError(*problem);
  const std::shared_ptr<const Backend>& backend = state_->backend_of(request);
  ForwardOptions options;
  options.stage_memory = state_->options.stage_memory;
  options.notice = state_->notice;
  if (!state_->options.reuse) return forward(request, inputs, backend, cancel, options);
  options.previous = state_->last_backend == backend ? state_->last : nullptr;
  options.buffers = &state_->buffers;
  state_->last = forward(request, inputs, backend, cancel, options);
  state_->last_backend = backend;
  return state_->last;
}

}  // namespace headscope

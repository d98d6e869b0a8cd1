#include "core/attention/engine.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/attention/capture_trace.h"
#include "core/attention/input_problem.h"
#include "core/attention/model_forward.h"
#include "core/attention/patches.h"
#include "core/attention/preview.h"
#include "core/attention/stage_buffers.h"
#include "core/attention/stage_sizes.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/io/mapping_guard.h"
#include "core/model/folder_stamp.h"
#include "core/model/load_inputs.h"
#include "core/request/intervention_kinds.h"
#include "core/request/memory.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"
#include "core/request/patch_source.h"
#include "core/request/same_request.h"

namespace headscope {
namespace {

// Products from which a graphics card is worth its start (0.1 to 0.3 s) and the way there and back: about 0.2 s of two
// cores.
constexpr double kLargeWork = 2e10;

// The capture that was read last; read again when one of its files changed.
struct OpenCapture {
  std::string path;
  FileStamp stamp, tokens_stamp;
  std::shared_ptr<const Capture> capture;

  std::shared_ptr<const Capture> open(const std::string& wanted) {
    const FileStamp now = file_stamp(wanted);
    const FileStamp tokens_now = file_stamp(capture_tokens_path(wanted));
    if (capture == nullptr || path != wanted || stamp != now || tokens_stamp != tokens_now) {
      capture = std::make_shared<const Capture>(read_capture(wanted));
      path = wanted;
      stamp = now;
      tokens_stamp = tokens_now;
    }
    return capture;
  }
};

// Which list of layers a request shows, whatever it names of a model with one.
AttentionList shown_list(const Request& request) {
  return shows_decoder(request) || shows_pool(request) ? attention_list(request) : AttentionList::encoder;
}

// How a refusal names the run of --patch-from: by its file, or as what the request carries.
std::string name_of_source(const Request& patched) {
  return carries_source(patched) ? "A, which the session carries," : patched.patch_from;
}

// The request of --patch-from, which runs as `patched` does: the same numbers then give the same bits.
Request source_request(const Request& patched, const EngineOptions& options) {
  if (!options.read_request) throw UsageError("patch-from", "sessions are not read here");
  Request source = options.read_request(patched.patch_from);
  if (any_on(source.patches)) {
    throw UsageError("patch-from", fmt::format("{} is patched itself", name_of_source(patched)),
                     "a session without --patch");
  }
  if (shown_list(source) != shown_list(patched)) {
    throw UsageError(
        "patch-from",
        fmt::format("{} shows another list of layers of a model that has several", name_of_source(patched)),
        "a session with the same attention");
  }
  source.backend = patched.backend;
  source.threads = patched.threads;
  return source;
}

}  // namespace

struct Engine::State {
  EngineOptions options;
  std::unique_ptr<InputCache> inputs = std::make_unique<InputCache>();

  BackendQuery query;
  std::shared_ptr<const Backend> backend;  // made for the query
  std::string notice;                      // why it is not the one that was wished for

  ModelForward models;
  OpenCapture capture;
  Request source;  // of the last --patch-from, and its run
  std::shared_ptr<const Trace> source_trace;
  StageBuffers buffers;
  std::shared_ptr<const Trace> last;
  std::shared_ptr<const Backend> last_backend;

  const std::shared_ptr<const Backend>& backend_of(const BackendQuery& wanted) {
    if (backend != nullptr && wanted == query) return backend;
    backend.reset();  // its threads end before others begin
    notice.clear();
    query = wanted;
    try {
      backend = options.make_backend ? options.make_backend(query) : make_backend(query);
    } catch (const BackendError& error) {
      fall_back(error);
    }
    return backend;
  }

  void forget_files() {
    inputs = std::make_unique<InputCache>();
    capture = {};
    source_trace = nullptr;
  }

  // Also what was computed from them.
  void forget_results() {
    forget_files();
    models.forget();
    last.reset();
  }

  const std::shared_ptr<const Trace>& run_of_source(const Request& patched, const CancelToken& cancel);

  // Open files, and weights as the backend keeps them, change hands.
  void swap_means(State& other) {
    std::swap(inputs, other.inputs);
    std::swap(query, other.query);
    std::swap(backend, other.backend);
    std::swap(notice, other.notice);
  }

  void fall_back(const BackendError& error) {
    backend = make_cpu_backend(query.threads);
    notice = std::string("The CPU computes, since the GPU cannot: ") + error.what();
  }
};

const std::shared_ptr<const Trace>& Engine::State::run_of_source(const Request& patched, const CancelToken& cancel) {
  const Request wanted = source_request(patched, options);
  if (source_trace != nullptr && same_request(wanted, source)) return source_trace;
  source_trace = nullptr;
  EngineOptions once = options;
  once.reuse = false;
  once.whole_model = true;
  Engine engine(std::move(once));
  struct Lent {
    State &from, &to;
    Lent(State& lender, State& user) : from(lender), to(user) { from.swap_means(to); }
    ~Lent() { from.swap_means(to); }
  };
  const Lent lent(*this, *engine.state_);
  const auto refuse = [&](const std::string& why) {
    throw UsageError("patch-from", fmt::format("the request of {} cannot run: {}", name_of_source(patched), why));
  };
  try {
    source_trace = engine.run(wanted, cancel);
  } catch (const ProblemError& error) {
    refuse(error.what());
  } catch (const UsageError& error) {
    refuse(error.what());
  }
  source = wanted;
  return source_trace;
}

Engine::Engine(EngineOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

Engine::~Engine() = default;

const std::shared_ptr<const Trace>& Engine::patch_source() const {
  return state_->source_trace;
}

void Engine::forget_files() {
  state_->forget_files();
}

void Engine::set_stage_memory(std::int64_t bytes) {
  state_->options.stage_memory = bytes;
}

std::shared_ptr<const Inputs> Engine::read(const Request& request, const CancelToken& cancel) {
  if (const std::optional<Problem> problem = find_problem(request)) throw ProblemError(*problem);
  HEADSCOPE_ASSERT(!runs_capture(request), request.model);
  const auto inputs = std::make_shared<Inputs>(load_inputs(request, *state_->inputs, cancel));
  if (const std::optional<Problem> problem = find_problem(request, *inputs)) throw ProblemError(*problem);
  if (any_on(request.patches)) {
    inputs->patches = patches_from(*state_->run_of_source(request, cancel), request, *inputs);
  }
  return inputs;
}

std::shared_ptr<const Trace> Engine::run(const Request& request, const CancelToken& cancel, const EarlyTrace& early) {
  if (const std::optional<Problem> problem = find_problem(request)) throw ProblemError(*problem);
  // A result that is still shown may hold a file that another program has written since.
  const MappingChanges changes;
  if (changes.any_before()) state_->forget_results();
  const auto with_fall_back = [&](bool large, const auto& run_on) {
    std::shared_ptr<const Trace> trace;
    try {
      trace = run_on(state_->backend_of({request.backend, request.threads, large}));
    } catch (const BackendError& error) {
      state_->fall_back(error);
      trace = run_on(state_->backend);
    }
    changes.check();
    return trace;
  };
  if (runs_capture(request)) {
    const std::shared_ptr<const Capture> capture = state_->capture.open(base_of_model(request.model));
    return with_fall_back(false, [&](const std::shared_ptr<const Backend>& backend) {
      ForwardOptions options;
      options.stage_memory = state_->options.stage_memory;
      options.notice = state_->notice;
      return capture_trace(request, capture, backend, cancel, options);
    });
  }
  const std::shared_ptr<const Inputs> inputs = read(request, cancel);
  const bool large = request.backend == BackendChoice::automatic && products_of(stage_sizes_of(*inputs)) >= kLargeWork;
  return with_fall_back(large, [&](const std::shared_ptr<const Backend>& backend) {
    if (inputs->checkpoint != nullptr) {
      const EngineOptions& given = state_->options;
      const auto check_files = [&] { check_checkpoint_files(*state_->inputs); };
      return state_->models.run(request, inputs, backend, cancel,
                                {given.stage_memory, state_->notice, given.reuse, given.whole_model, check_files, early,
                                 given.between_early});
    }
    ForwardOptions options;
    options.stage_memory = state_->options.stage_memory;
    options.notice = state_->notice;
    options.readings = readings_of_files(*state_->inputs);
    if (!state_->options.reuse) return forward(request, inputs, backend, cancel, options);
    options.previous = state_->last_backend == backend ? state_->last : nullptr;
    options.buffers = &state_->buffers;
    if (early) {
      const auto preview =
          preview_of(options.previous, request, inputs, backend, state_->options.preview_products, cancel);
      if (preview != nullptr) early(preview);
    }
    state_->last = forward(request, inputs, backend, cancel, options);
    state_->last_backend = backend;
    return state_->last;
  });
}

}  // namespace headscope

#include "app/cli/compute.h"

#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/session/session_paths.h"
#include "core/base/error.h"
#include "core/request/model_kind.h"
#ifdef HEADSCOPE_HAS_GL
#include "app/gl/compute_factory.h"
#endif

namespace headscope::cli {

EngineOptions engine_options(std::int64_t stage_memory, bool whole_model) {
  EngineOptions options;
  options.stage_memory = stage_memory;
  options.whole_model = whole_model;
  options.read_request = read_patch_source;
#ifdef HEADSCOPE_HAS_GL
  options.make_backend = backends_with_gpu();
#endif
  return options;
}

std::shared_ptr<const Trace> quiet_trace(const Request& request, std::int64_t stage_memory, const CancelToken& cancel,
                                         bool whole_model) {
  Engine engine(engine_options(stage_memory, whole_model));
  ProgressLine progress;
  progress.show("computing");
  const std::shared_ptr<const Trace> trace = engine.run(request, cancel);
  return trace;
}

std::shared_ptr<const Trace> computed_trace(const Arguments& given, const Request& request, std::int64_t stage_memory,
                                            const CancelToken& cancel, bool whole_model) {
  const std::shared_ptr<const Trace> trace = quiet_trace(request, stage_memory, cancel, whole_model);
  said_of_run(given, *trace, cancel);
  return trace;
}

void check_whole_model(const Request& request, const char* one_layer) {
  if (runs_checkpoint(request)) return;
  throw UsageError("model",
                   runs_capture(request) ? "found a capture, which has no weights behind its attention" : one_layer,
                   "--model demo:NAME or PATH, a whole model");
}

}  // namespace headscope::cli

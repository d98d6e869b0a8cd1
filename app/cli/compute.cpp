#include "app/cli/compute.h"

#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#ifdef HEADSCOPE_HAS_GL
#include "app/gl/compute_factory.h"
#endif

namespace headscope::cli {

EngineOptions engine_options(std::int64_t stage_memory, bool whole_model) {
  EngineOptions options;
  options.stage_memory = stage_memory;
  options.whole_model = whole_model;
#ifdef HEADSCOPE_HAS_GL
  options.make_backend = backends_with_gpu();
#endif
  return options;
}

std::shared_ptr<const Trace> computed_trace(const Request& request, std::int64_t stage_memory,
                                            const CancelToken& cancel, bool whole_model) {
  Engine engine(engine_options(stage_memory, whole_model));
  ProgressLine progress;
  progress.show("computing");
  const std::shared_ptr<const Trace> trace = engine.run(request, cancel);
  progress.erase();
  if (!trace->notice.empty()) print_notice(trace->notice);
  return trace;
}

}  // namespace headscope::cli

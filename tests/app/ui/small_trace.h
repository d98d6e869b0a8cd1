// One small causal request and its trace, for tests of what panels derive.
#pragma once

#include "core/attention/engine.h"

namespace headscope::ui {

inline Request small_request() {
  Request request;
  request.phrase = "Hola mi nombre es Alex";
  request.d_model = 32;
  request.heads = 4;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

inline std::shared_ptr<const Trace> trace_of(const Request& request) {
  Engine engine;
  return engine.run(request, {});
}

}  // namespace headscope::ui

// Traces of small seeded requests for the tests of figures.
#pragma once

#include <memory>
#include <string>

#include "core/attention/engine.h"
#include "core/request/request_text.h"

namespace headscope {

inline std::string phrase_of(int tokens) {
  const char* words[] = {"the", "animal", "did", "cross", "street", "because", "it", "was", "tired", "\u4e2d\u6587"};
  std::string phrase;
  for (int k = 0; k < tokens; ++k) phrase += (k == 0 ? "" : " ") + std::string(words[k * 7 % 10]);
  return phrase;
}

inline Request small_request(int tokens, std::initializer_list<std::pair<const char*, const char*>> options = {}) {
  Request request;
  request.phrase = phrase_of(tokens);
  request.d_model = 16;
  request.heads = 4;
  request.input_dim = 8;
  for (const auto& [name, value] : options) find_request_option(name)->set(request, value);
  return request;
}

inline std::shared_ptr<const Trace> trace_of(const Request& request) {
  Engine engine;
  return engine.run(request, {});
}

inline std::shared_ptr<const Trace> small_trace(
    int tokens, std::initializer_list<std::pair<const char*, const char*>> options = {}) {
  return trace_of(small_request(tokens, options));
}

}  // namespace headscope

// A computed layer with grouped queries, and the lengths of its values.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/attention/engine.h"

namespace headscope {

inline std::shared_ptr<const Trace> run(const Request& request, EngineOptions options = {}) {
  Engine engine(std::move(options));
  return engine.run(request, {});
}

// Grouped queries, two sequences, a causal mask.
inline Request grouped_request() {
  Request request;
  request.phrase = "one two three four five six";
  request.d_model = 16;
  request.heads = 4;
  request.kv_heads = 2;
  request.batch = 2;
  request.embedding = Embedding::sequence;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

inline double length_of(const Tensor& value, std::int64_t b, std::int64_t g, std::int64_t j) {
  double sum = 0;
  for (std::int64_t d = 0; d < value.dim(3); ++d) sum += std::pow(static_cast<double>(value.at({b, g, j, d})), 2);
  return std::sqrt(sum);
}

}  // namespace headscope

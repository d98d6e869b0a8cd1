// What the tensors of a trace say of its costs, beside the formulas: their sizes alone are asked.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/backend/linear.h"
#include "core/model/inputs.h"
#include "core/request/stage.h"

namespace headscope {

inline std::shared_ptr<const Trace> computed(const Request& request) {
  Engine engine((EngineOptions()));
  return engine.run(request, {});
}

// How many numbers the stage has; 0 without it.
inline double size_of(const Trace& trace, StageId stage) {
  const Stage* found = trace.find(stage);
  return found == nullptr ? 0 : static_cast<double>(found->tensor.size());
}

// The last axis of the first of these stages that there is.
inline double features_of(const Trace& trace, std::initializer_list<StageId> stages) {
  for (const StageId stage : stages) {
    const Stage* found = trace.find(stage);
    if (found != nullptr) return static_cast<double>(found->tensor.dim(found->tensor.rank() - 1));
  }
  return 0;
}

inline double bytes_of(const Tensor& tensor) {
  if (tensor.empty()) return 0;
  return static_cast<double>(tensor.size()) * (tensor.number_type() == NumberType::float32 ? 4 : 2);
}

inline double bytes_of(const Linear& linear) {
  return bytes_of(linear.weight) + bytes_of(linear.bias);
}

// Every number of a product of matrices is a sum over the axis that is gone: as many multiply-adds as that is long.
inline double plain_multiply_adds(const Trace& trace, StageId stage) {
  using S = StageId;
  const bool separate = trace.find(S::qkv) == nullptr;
  const auto summed = [&]() -> double {
    switch (stage) {
      case S::qkv:
        return features_of(trace, {S::input});
      case S::query_proj:
        return separate ? features_of(trace, {S::input}) : 0;
      case S::key_proj:
        return separate ? features_of(trace, {S::key_input, S::input}) : 0;
      case S::value_proj:
        return separate ? features_of(trace, {S::value_input, S::key_input, S::input}) : 0;
      case S::raw_scores:
        return features_of(trace, {S::query});
      case S::context:
        return features_of(trace, {S::weights});
      case S::output:
        return features_of(trace, {S::concat});
      default:
        return 0;
    }
  };
  return size_of(trace, stage) * summed();
}

}  // namespace headscope

// When a run of a model gives layers to look at before its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/attention/model_options.h"

namespace headscope {

// As ModelOptions::early says. Refers to the options, which must outlive this.
class EarlyLayers {
 public:
  // `known`: a trace of the layer `shown` is there from a run before, and can be looked at meanwhile.
  EarlyLayers(const ModelOptions& options, std::int64_t shown, bool known)
      : options_(options), shown_(shown), known_(known) {}

  // Whether the layer that was just computed, or what it adds to the shown one, is to be given.
  bool due(std::int64_t layer) const {
    if (!options_.early || (layer < shown_ && known_)) return false;
    return layer == shown_ || Clock::now() - last_ >= options_.between_early;
  }

  void give(std::shared_ptr<const Trace> trace) {
    options_.early(std::move(trace));
    last_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const ModelOptions& options_;
  const std::int64_t shown_;
  const bool known_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace headscope

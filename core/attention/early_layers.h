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
    return layer == shown_ || Clock::now() >= next_;
  }

  void give(std::int64_t layer, std::shared_ptr<const Trace> trace) {
    options_.early(std::move(trace));
    const Clock::time_point now = Clock::now();
    next_ = now + (layer < shown_ ? now - begin_ : options_.between_early);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const ModelOptions& options_;
  const std::int64_t shown_;
  const bool known_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + options_.between_early;
};

}  // namespace headscope

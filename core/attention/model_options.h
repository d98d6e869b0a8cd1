// What a run of a whole model is asked beside its request.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/attention/trace.h"

namespace headscope {

// A run that is over before needs no picture of its way.
inline constexpr std::chrono::milliseconds kBetweenEarly{150};

struct ModelOptions {
  std::int64_t stage_memory = 0;  // as in ForwardOptions, for the stages of all layers up to the current one together
  std::string notice;
  bool reuse = false;                  // use rows and stages of the last run again
  bool whole_model = false;            // also compute the layers above the shown one
  std::function<void()> before_layer;  // called before every layer; what it throws ends the run; may be empty
  // Gets traces to look at while the run goes on: the shown layer before those above it are computed, then again with
  // the layers that were added meanwhile, `between_early` after the one before; and before it, when nothing of this
  // model was computed yet, the newest layer below it, its request naming that layer: after `between_early`, and each
  // time when the run has taken twice as long, for each is another picture. Of a decoder beside an encoder the shown
  // layer alone comes. May be empty.
  std::function<void(std::shared_ptr<const Trace>)> early;
  std::chrono::steady_clock::duration between_early = kBetweenEarly;
  // Gets every layer, in order, up to the shown one or all; of the result only the shown layer is kept then, and
  // nothing behind the last one is computed: for models whose traces together would fill the memory. May be empty.
  std::function<void(std::int64_t layer, const Trace&)> each_layer = {};
  bool with_final = false;  // with each_layer: final_hidden is computed all the same, where the last layer is shown
  // Positions before it may have no result of the last layer's MLP, and their final_hidden is then no number of the
  // model: for one who reads the others alone.
  std::int64_t final_from = 0;
};

}  // namespace headscope

// The numbers that a path brings to a later head. Internal to core/sweep.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/gradient/rows.h"
#include "core/request/interventions.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

class PathNumbers {
 public:
  // `own`: the run of `request` from `inputs`, with all layers.
  PathNumbers(std::shared_ptr<const Trace> own, std::shared_ptr<const Inputs> inputs, Request request);

  struct Path {
    LayerHead from;
    std::int64_t layer = 0;  // later than from.layer
    std::string stage;       // query, key or value of it
  };
  // The stage of all heads of the layer, where the head `from` gives what `context`, the stage of its layer, holds of
  // it, and every other head and every MLP between them what they gave in the own run:
  //   d = (context - own) W_O of the head, or norm(output + d) - norm(output) where attention's result is normed
  //   x' = the own stream before the layer + what d makes of it through the sums (and norms of sums) of the layers
  // and the stage is what the layer makes of x'. Where `context` is the run's own it has its own bits. Throws
  // Cancelled.
  Tensor numbers(const Path& path, const Tensor& context, const CancelToken& cancel);

 private:
  // By how much the stream before `layer` changes, [batch * len, d_model].
  GradientRows change_before(const LayerHead& from, std::int64_t layer, const Tensor& context,
                             const CancelToken& cancel) const;
  std::shared_ptr<const Trace> run_with_stream(std::int64_t layer, const Tensor& stream,
                                               const CancelToken& cancel) const;

  std::shared_ptr<const Trace> own_;
  std::shared_ptr<const Inputs> inputs_;
  Request request_;
  // The run of the last path: its stages of one layer serve three cells a head.
  struct Known {
    LayerHead from;
    std::int64_t layer = 0;
    std::shared_ptr<const Trace> run;
  };
  std::optional<Known> known_;
};

}  // namespace headscope

// What the attention weights of every head do to one number of a model, to first order, or along a path from no
// attention.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/request.h"
#include "core/sweep/sweep_metric.h"
#include "core/sweep/sweep_patch.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct WeightQuestion {
  Request request;
  std::string metric;              // as parse_sweep_metric() reads it; not kl, whose slope at the run itself is 0
  std::optional<std::int64_t> at;  // where it is taken; nullopt: the first mask token, else the last position
  std::int64_t steps = 0;          // of the path, kMostSteps at most; 0: no path
};

// Of a layer, [batch, heads, query, key]; items of the batch beyond the first have 0.
struct LayerWeightGradients {
  Tensor gradient;  // g = d metric / d weight; of a path the mean of g over its steps
  Tensor product;   // gradient x weight
  double sum = 0;   // of the product, all heads
  // With a path: the metric of the run less that of a run in which all weights of this layer are 0. The closer it is to
  // the sum, the finer the path.
  std::optional<double> difference = {};
};

struct HeadWeightGradients {
  std::int64_t layer = 0, head = 0;
  double sum = 0, absolute = 0;     // of the product, and of its absolute values
  double largest = 0;               // the product that is largest by absolute value
  std::int64_t query = 0, key = 0;  // where it is
  // [query] and [key]: the product added over the keys that a query looks at, and over the queries that look at a key.
  std::vector<double> by_query = {}, by_key = {};
};

struct WeightGradients {
  SweepMetric metric;
  std::int64_t position = 0;
  double value = 0;  // of the run
  std::shared_ptr<const Trace> trace;
  std::vector<LayerWeightGradients> layers;
  std::vector<HeadWeightGradients> heads;  // by layer, then head
};

// Without a path: g of the run (core/gradient/model_gradient.h), times the weight. With one, integrated gradients
// (Sundararajan and others, 2017; of attention weights: Hao and others, 2021), a layer at a time:
//   w x 1/m sum over k = 1 ... m of g((k - 1/2) / m w), the run in which all weights of the layer are that share of w
// `progress` gets the share that is done. UsageError for a source that is no whole model, for kl, and as
// check_gradient(), of the option "metric" or "model". Throws Cancelled.
WeightGradients weight_gradients(EngineOptions options, const WeightQuestion& question, const CancelToken& cancel,
                                 const std::function<void(double share)>& progress = {});

}  // namespace headscope

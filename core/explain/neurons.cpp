#include "core/explain/neurons.h"

#include <algorithm>
#include <cmath>

#include "core/attention/shown_mask.h"
#include "core/base/assert.h"

namespace headscope {

namespace {

double largest_of(double so_far, const std::vector<float>& values) {
  for (const float value : values) {
    if (std::isfinite(value)) so_far = std::max(so_far, std::fabs(static_cast<double>(value)));
  }
  return so_far;
}

std::vector<float> row_of(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t head, std::int64_t query,
                          Range keys) {
  std::vector<float> row(static_cast<std::size_t>(keys.size()));
  trace.tensor(stage).read(Region{{batch, batch + 1}, {head, head + 1}, {query, query + 1}, keys}, row);
  return row;
}

}  // namespace

bool has_neurons(const Trace& trace) {
  for (const StageId stage : {StageId::query, StageId::key, StageId::raw_scores, StageId::scores, StageId::weights}) {
    if (trace.find(stage) == nullptr) return false;
  }
  return true;
}

Neurons neurons_of(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query, Range keys) {
  const Tensor& query_stage = trace.tensor(StageId::query);
  const Tensor& key_stage = trace.tensor(StageId::key);
  HEADSCOPE_ASSERT(keys.begin >= 0 && keys.begin <= keys.end && keys.end <= trace.key_len(), "keys beyond the trace");
  const std::int64_t features = query_stage.dim(3);
  Neurons neurons;
  neurons.head = head;
  neurons.kv_head = head * key_stage.dim(1) / query_stage.dim(1);
  neurons.query = query;
  neurons.keys = keys;
  std::vector<float> q(static_cast<std::size_t>(features));
  query_stage.read(Region{{batch, batch + 1}, {head, head + 1}, {query, query + 1}, {0, features}}, q);
  std::vector<float> k(static_cast<std::size_t>(keys.size() * features));
  const std::int64_t kv = neurons.kv_head;
  key_stage.read(Region{{batch, batch + 1}, {kv, kv + 1}, keys, {0, features}}, k);
  std::vector<float> products(k.size());
  for (std::size_t at = 0; at < k.size(); ++at) products[at] = q[at % q.size()] * k[at];
  neurons.largest_feature = largest_of(largest_of(0, q), k);
  neurons.largest_product = largest_of(0, products);
  neurons.product_shares.assign(products.size(), 0);
  for (std::size_t at = 0; at < products.size() && neurons.largest_product > 0; ++at) {
    if (!std::isfinite(products[at])) continue;
    neurons.product_shares[at] = static_cast<float>(static_cast<double>(products[at]) / neurons.largest_product);
  }
  const Axes axes = {Axis::key, Axis::feature};
  neurons.query_features = Tensor::of({1, features}, axes, std::move(q));
  neurons.key_features = Tensor::of({keys.size(), features}, axes, std::move(k));
  neurons.products = Tensor::of({keys.size(), features}, axes, std::move(products));

  neurons.raw_scores = row_of(trace, StageId::raw_scores, batch, head, query, keys);
  neurons.scores = row_of(trace, StageId::scores, batch, head, query, keys);
  const std::vector<float> row = row_of(trace, StageId::weights, batch, head, query, {0, trace.key_len()});
  for (const float weight : row) neurons.weight_sum += static_cast<double>(weight);
  neurons.weights.assign(row.begin() + keys.begin, row.begin() + keys.end);
  const std::shared_ptr<const Mask> mask = shown_mask(trace, StageId::weights);
  for (std::int64_t j = keys.begin; j < keys.end; ++j) {
    neurons.hidden.push_back(mask != nullptr && mask->hidden.hidden(batch, head, query, j));
  }
  return neurons;
}

}  // namespace headscope

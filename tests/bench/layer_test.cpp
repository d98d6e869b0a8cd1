// What `headscope-cli bench` repeats is the layer that the engine computes, and not less.
#include <gtest/gtest.h>

#include <cmath>

#include "app/cli/bench_case.h"
#include "app/cli/bench_layer.h"
#include "core/attention/engine.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> engine_trace(const cli::BenchCase& size) {
  Request request;
  for (std::int64_t i = 0; i < size.seq_len; ++i) request.phrase += "a ";
  request.embedding = Embedding::sequence;
  request.batch = size.batch;
  request.input_dim = size.input_dim;
  request.d_model = size.d_model;
  request.heads = size.heads;
  request.qkv_layout = QkvLayout::blocked;
  request.mask = size.mask;
  request.backend = BackendChoice::reference;
  Engine engine;
  return engine.run(request, CancelToken());
}

// Largest difference; infinite when shapes differ or one is not a number.
double difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return INFINITY;
  const std::vector<float> left = a.values(), right = b.values();
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double one = std::abs(static_cast<double>(left[i]) - right[i]);
    if (!(one <= largest)) largest = std::isnan(one) ? INFINITY : one;
  }
  return largest;
}

TEST(BenchLayer, LeavesTheWeightsAndTheOutputOfTheEngine) {
  for (const char* text : {"1,4,32,32,4,none", "2,19,24,32,4,causal", "1,40,16,48,3,window:5,padding:2"}) {
    const cli::BenchCase size = cli::bench_case_from("size", text);
    cli::BenchLayer layer(size);
    const auto trace = engine_trace(size);
    for (const int threads : {1, 2}) {
      const auto backend = make_cpu_backend(threads);
      for (int repetition = 0; repetition < 2; ++repetition) layer.run(*backend, CancelToken());
      EXPECT_TRUE(difference(layer.weights(), trace->tensor(StageId::weights)) <= 1e-6) << text;
      EXPECT_TRUE(difference(layer.result(), trace->tensor(StageId::output)) <= 1e-5) << text;
    }
  }
}

TEST(BenchLayer, AloneItLeavesTheContextAndNoWeights) {
  const cli::BenchCase size = cli::bench_case_from("size", "attn:33,2,8,causal");
  cli::BenchLayer expected(size), layer(size);
  expected.run(*make_reference_backend(), CancelToken());
  layer.run(*make_cpu_backend(2), CancelToken());
  EXPECT_TRUE(layer.weights().empty());
  EXPECT_EQ(layer.result().shape(), (Shape{1, 2, 33, 8}));
  EXPECT_TRUE(difference(layer.result(), expected.result()) <= 1e-5);
  for (const float value : expected.result().values()) EXPECT_TRUE(value != 0.0F);  // something was computed
}

}  // namespace
}  // namespace headscope

// A device that fails is no failure of the request: the CPU computes, and the trace says so.
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/engine.h"
#include "core/model/load_inputs.h"
#include "core/request/memory.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

// The reference under the name of the GPU, which fails from its `left`-th call on.
class FailingBackend : public Backend {
 public:
  explicit FailingBackend(int left) : left_(left) {}
  std::string_view name() const override { return "gpu"; }
  std::string description() const override { return "GPU, made up"; }
  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override {
    return counted().linear(x, weight, bias, cancel);
  }
  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override {
    return counted().query_key_products(query, key, region, cancel);
  }
  Tensor softmax_rows(const Tensor& scores, RowStatistics* statistics, const CancelToken& cancel) const override {
    return counted().softmax_rows(scores, statistics, cancel);
  }
  Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                         const CancelToken& cancel) const override {
    return counted().weighted_values(weights, value, hidden, cancel);
  }
  mutable int left_;

 private:
  const Backend& counted() const {
    if (--left_ < 0) throw BackendError("The device fell over.");
    return *reference_;
  }
  const std::shared_ptr<const Backend> reference_ = make_reference_backend();
};

Request gpu_request() {
  Request request = phrase_request();
  request.backend = BackendChoice::gpu;
  return request;
}

// An engine that makes such backends, and how many it made.
struct Made {
  explicit Made(int calls_before_failing)
      : engine({kDefaultStageMemory, [this, calls_before_failing](const BackendQuery& query) {
                  queries.push_back(query);
                  if (query.choice != BackendChoice::gpu) return make_backend(query);
                  if (calls_before_failing < 0) throw BackendError("There is no device.");
                  return std::shared_ptr<const Backend>(std::make_shared<FailingBackend>(calls_before_failing));
                }}) {}
  std::vector<BackendQuery> queries;
  Engine engine;
};

TEST(BackendFailure, TheCpuComputesAndTheTraceSaysSo) {
  Request on_cpu = gpu_request();
  on_cpu.backend = BackendChoice::cpu;
  const auto expected = Engine().run(on_cpu, CancelToken());
  EXPECT_EQ(expected->notice, "");
  for (const int calls : {-1, 0, 1, 2, 3, 4}) {
    Made made(calls);
    const auto trace = made.engine.run(gpu_request(), CancelToken());
    EXPECT_EQ(trace->backend, "cpu") << calls;
    EXPECT_EQ(trace->backend_description.substr(0, 3), "CPU") << calls;
    EXPECT_EQ(trace->notice, std::string("The CPU computes, since the GPU cannot: ") +
                                 (calls < 0 ? "There is no device." : "The device fell over."));
    EXPECT_TRUE(same_bits(trace->tensor(StageId::output), expected->tensor(StageId::output))) << calls;
    EXPECT_TRUE(same_bits(trace->tensor(StageId::weights), expected->tensor(StageId::weights))) << calls;
  }
}

TEST(BackendFailure, ItIsNotAskedAgainUntilAnotherIsWanted) {
  Made made(0);
  made.engine.run(gpu_request(), CancelToken());
  Request longer = gpu_request();
  longer.phrase += " more";
  EXPECT_NE(made.engine.run(longer, CancelToken())->notice, "") << "still not the backend that was asked for";
  EXPECT_EQ(made.queries.size(), 1U);
  longer.backend = BackendChoice::cpu;
  EXPECT_EQ(made.engine.run(longer, CancelToken())->notice, "");
  made.engine.run(gpu_request(), CancelToken());
  EXPECT_EQ(made.queries.size(), 3U);
}

TEST(BackendFailure, OneThatHoldsComputesEverything) {
  Made made(1000);
  const auto trace = made.engine.run(gpu_request(), CancelToken());
  EXPECT_EQ(trace->backend, "gpu");
  EXPECT_EQ(trace->backend_description, "GPU, made up");
  EXPECT_EQ(trace->notice, "");
}

TEST(BackendFailure, WithoutAFactoryThisBuildHasNoGpu) {
  const auto trace = Engine().run(gpu_request(), CancelToken());
  EXPECT_EQ(trace->backend, "cpu");
  EXPECT_EQ(trace->notice, "The CPU computes, since the GPU cannot: This build has no GPU backend.");
}

TEST(BackendFailure, OnlyALargeRequestIsWorthACard) {
  Made made(1000);
  Request request = phrase_request();
  request.d_model = 64;
  made.engine.run(request, CancelToken());
  ASSERT_EQ(made.queries.size(), 1U);
  EXPECT_FALSE(made.queries[0].large);
  // 2e10 products are many more than a test should wait for: the estimate alone.
  StageSizes sizes;
  sizes.query_len = sizes.key_len = 4096;
  sizes.heads = sizes.kv_heads = 16;
  sizes.head_dim = sizes.value_head_dim = 64;
  sizes.input_dim = sizes.d_model = 1024;
  EXPECT_EQ(products_of(sizes), 4096.0 * 1024 * 1024 * 4 + 4096.0 * 4096 * 1024 * 2);
}

TEST(BackendFailure, NumbersReadLaterComeFromTheCpu) {
  Request request = gpu_request();
  const auto failing = std::make_shared<FailingBackend>(1000);
  InputCache cache;
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache));
  ForwardOptions nothing_kept;
  nothing_kept.stage_memory = 0;
  const auto trace = forward(request, inputs, failing, CancelToken(), nothing_kept);
  ASSERT_NE(trace->on_demand, nullptr);
  const auto kept = forward(request, inputs, make_cpu_backend(1), CancelToken());
  failing->left_ = 0;
  const std::vector<float> read = trace->tensor(StageId::output).values();
  const std::vector<float> expected = kept->tensor(StageId::output).values();
  ASSERT_EQ(read.size(), expected.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_TRUE(std::abs(read[i] - expected[i]) <= 1e-5) << i;
}

}  // namespace
}  // namespace headscope

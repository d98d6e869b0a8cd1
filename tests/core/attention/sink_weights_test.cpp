// Learned sinks: weights and shares against plain loops in double, in every way that attention is computed.
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/engine.h"
#include "core/backend/backend_factory.h"
#include "core/explain/explain.h"
#include "core/model/checkpoint.h"
#include "core/request/memory.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

const std::string kModel = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt_oss";

Request weights_request_of(BackendChoice backend) {
  Request request;
  request.model = kModel;
  request.token_ids = {3, 14, 15, 9, 2, 6};
  request.layer = 1;
  request.backend = backend;
  return request;
}

std::shared_ptr<const Trace> weights_run(const Request& request, std::int64_t memory = kDefaultMemoryLimit) {
  EngineOptions options;
  options.stage_memory = memory;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

// Every weight and share from the trace's own masked scores.
void expect_softmax(const Trace& trace, double tolerance) {
  const Tensor& scores = trace.tensor(StageId::masked_scores);
  const Tensor& sinks = trace.inputs->weights.sinks;
  for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
    for (std::int64_t i = 0; i < trace.query_len(); ++i) {
      const double sink = std::exp(static_cast<double>(sinks.at({h})));
      double sum = sink;
      for (std::int64_t j = 0; j < trace.key_len(); ++j) sum += std::exp(static_cast<double>(scores.at({0, h, i, j})));
      EXPECT_TRUE(std::abs(trace.tensor(StageId::sink_weights).at({0, h, i}) - sink / sum) <= tolerance) << h << i;
      for (std::int64_t j = 0; j < trace.key_len(); ++j) {
        const double expected = std::exp(static_cast<double>(scores.at({0, h, i, j}))) / sum;
        EXPECT_TRUE(std::abs(trace.tensor(StageId::weights).at({0, h, i, j}) - expected) <= tolerance) << h << i << j;
      }
    }
  }
}

TEST(SinkWeights, JoinTheSoftmaxInEveryWayOfComputing) {
  for (const BackendChoice backend : {BackendChoice::reference, BackendChoice::cpu}) {
    const auto kept = weights_run(weights_request_of(backend)), on_demand = weights_run(weights_request_of(backend), 0);
    expect_softmax(*kept, 3e-7);
    EXPECT_NE(on_demand->on_demand, nullptr);
    for (const StageId stage : {StageId::weights, StageId::sink_weights, StageId::context}) {
      EXPECT_EQ(kept->tensor(stage).values(), on_demand->tensor(stage).values()) << stage_name(stage);
    }
    Request edited = weights_request_of(backend);
    find_request_option("edit")->set(edited, "1/scores:0,2,4,1=1.5");
    expect_softmax(*weights_run(edited), 3e-7);
  }
}

TEST(SinkWeights, AreNoneWhereNothingIsNormalisedOverKeys) {
  Request request = weights_request_of(BackendChoice::cpu);
  find_request_option("variant")->set(request, "softmax-over-queries");
  EXPECT_EQ(weights_run(request)->find(StageId::sink_weights), nullptr);
  request = weights_request_of(BackendChoice::cpu);
  find_request_option("freeze")->set(request, "1.2=uniform");
  const auto frozen = weights_run(request);
  EXPECT_EQ(frozen->tensor(StageId::sink_weights).at({0, 2, 3}), 0.0F);
  EXPECT_GT(frozen->tensor(StageId::sink_weights).at({0, 1, 3}), 0.0F);
}

// A row whose every key is hidden still has its sink.
TEST(SinkWeights, TakeAllOfARowWithoutKeys) {
  for (const BackendChoice backend : {BackendChoice::reference, BackendChoice::cpu}) {
    Request request = weights_request_of(backend);
    request.mask = {{MaskTerm::Kind::padding, 6, ""}};
    const auto trace = weights_run(request);
    for (const float weight : trace->tensor(StageId::weights).values()) EXPECT_EQ(weight, 0.0F);
    for (const float share : trace->tensor(StageId::sink_weights).values()) EXPECT_EQ(share, 1.0F);
    for (const float value : trace->tensor(StageId::context).values()) EXPECT_EQ(value, 0.0F);
  }
}

TEST(SinkWeights, EveryShareIsExplained) {
  const auto trace = weights_run(weights_request_of(BackendChoice::cpu));
  for (std::int64_t h = 0; h < trace->num_heads(); ++h) {
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      const Explanation share = explain(*trace, StageId::sink_weights, {0, h, i});
      EXPECT_TRUE(std::abs(share.steps.back().value - share.value) <= 1e-7);
      const Explanation weight = explain(*trace, StageId::weights, {0, h, i, 0});
      EXPECT_TRUE(std::abs(weight.steps.back().value - weight.value) <= 3e-7);
      EXPECT_EQ(weight.operands.back().stage, "model.layers.1.self_attn.sinks");
    }
  }
}

}  // namespace
}  // namespace headscope

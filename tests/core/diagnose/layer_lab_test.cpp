// The lab computes what the engine computes, from the stages that are given on.
#include "core/diagnose/layer_lab.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/cancel.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

const CancelToken kNever;

Request with(Request request, const std::vector<std::pair<const char*, const char*>>& options) {
  for (const auto& [name, value] : options) find_request_option(name)->set(request, value);
  return request;
}

std::vector<std::int64_t> all_queries(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void expect_near(const WideStage& made, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(made.shape, expected.shape()) << what;
  const std::vector<float> values = expected.values();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto b = static_cast<double>(values[k]);
    const double a = made.values[k];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    ASSERT_NEAR(a, b, 2e-5 * std::max(1.0, std::abs(b))) << what << " " << k;
  }
}

TEST(LayerLab, ComputesWhatTheEngineComputes) {
  using Options = std::vector<std::pair<const char*, const char*>>;
  const std::vector<Options> requests = {{{"mask", "causal"}},
                                         {{"mask", "window:1,padding:1"}, {"mask-fill", "-3"}},
                                         {{"mask", "causal,alibi"}, {"mask-order", "before-scale"}},
                                         {{"mask", "causal"}, {"softcap", "2"}, {"scale", "0.7"}},
                                         {{"mask", "causal,alibi"}, {"softcap", "2"}, {"softcap-order", "after-mask"}},
                                         {{"mask", "padding:5"}, {"fully-masked", "uniform"}},
                                         {{"mask", "causal"}, {"dropout", "0.4"}, {"dropout-seed", "3"}},
                                         {{"mask", "causal"}, {"variant", "mask-after-softmax,scale-by-d-model"}},
                                         {{"mask", "causal"}, {"variant", "softmax-over-queries"}},
                                         {{"mask", "causal"}, {"merge", "direct"}, {"variant", "mask-inverted"}}};
  for (const Options& options : requests) {
    for (const bool alone : {false, true}) {
      const Request request = with(alone ? alone_request() : phrase_request(), options);
      const Inputs inputs =
          alone ? alone_inputs({2, 5, 5, 4, 2, 3, 4}, 4)
                : fused_inputs(QkvLayout::blocked,
                               {.batch = 2, .len = 5, .input_dim = 6, .heads = 2, .head_dim = 3, .seed = 5});
      const auto trace = traced(request, inputs);
      const GivenStages none;
      LayerLab lab({request, inputs, false, false, {}}, none, nullptr, kNever);
      for (const Stage& stage : trace->stages) {
        if (!LayerLab::makes(stage.id)) continue;
        expect_near(lab.stage(stage.id, all_queries(5)), stage.tensor,
                    std::string(options.back().first) + " " + std::string(stage_name(stage.id)));
      }
    }
  }
}

TEST(LayerLab, SomeQueriesAreThoseRowsOfAll) {
  const Request request = with(alone_request(), {{"mask", "causal"}});
  const Inputs inputs = alone_inputs({2, 6, 6, 2, 2, 3, 4}, 4);
  const auto trace = traced(request, inputs);
  const GivenStages none;
  LayerLab lab({request, inputs, false, false, {}}, none, nullptr, kNever);
  const std::vector<std::int64_t> some = {1, 4};
  for (const StageId stage : {StageId::weights, StageId::concat}) {
    const WideStage made = lab.stage(stage, some), rows = stage_rows(stage, trace->tensor(stage), some);
    ASSERT_EQ(made.shape, rows.shape);
    for (std::size_t k = 0; k < made.values.size(); ++k) EXPECT_NEAR(made.values[k], rows.values[k], 1e-5);
  }
}

TEST(LayerLab, GivenStagesTakeThePlaceOfComputedOnes) {
  const Request request = with(alone_request(), {{"mask", "causal"}});
  const Inputs inputs = alone_inputs({1, 4, 4, 2, 2, 3, 3}, 4);
  const auto trace = traced(request, inputs);
  const Tensor& own = trace->tensor(StageId::weights);
  const Tensor even =
      Tensor::of(own.shape(), own.axes(), std::vector<float>(static_cast<std::size_t>(own.size()), 0.25F));
  const GivenStages given = {{StageId::weights, even}};
  LayerLab lab({request, inputs, false, false, {}}, given, nullptr, kNever);
  const WideStage context = lab.stage(StageId::context, all_queries(4));
  double mean = 0;
  for (std::int64_t j = 0; j < 4; ++j) mean += static_cast<double>(inputs.value.at({0, 0, j, 0})) / 4;
  EXPECT_NEAR(context.values.front(), mean, 1e-6);
}

}  // namespace
}  // namespace headscope

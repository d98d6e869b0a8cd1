// Interventions against the same arithmetic by plain loops, on every road through the engine.
#include "tests/core/attention/intervention_cases.h"

namespace headscope {
namespace {

TEST(Interventions, AnEditedNumberOfEveryStageIsWhatAllLaterStagesAreMadeFrom) {
  const Inputs inputs = fused_inputs(QkvLayout::per_head);  // batch 2, 5 tokens, width 7, 2 heads of 3
  const Request base = with(phrase_request(), {{"mask", "causal"}, {"softcap", "3"}});
  const std::vector<std::string> edits = {"input:1,2,6=2.5",
                                          "qkv:0,4,17=-3",
                                          "qkv_split:1,0,1,4=2",
                                          "qkv_heads:0,1,3,8=-1.5",
                                          "query:1,0,2,1=4",
                                          "key:0,1,2,0=-4",
                                          "value:1,1,0,2=9",
                                          "raw_scores:0,1,3,2=7",
                                          "scores:1,0,4,0=-2",
                                          "capped_scores:0,0,2,1=5",
                                          "masked_scores:1,1,1,0=0.25",
                                          "masked_scores:0,0,1,3=2",
                                          "masked_scores:0,1,2,1=-inf",
                                          "weights:0,0,3,3=0.5",
                                          "weights:1,1,0,4=1",
                                          "context:0,1,4,2=-7",
                                          "concat:1,3,5=11",
                                          "output:0,0,0=-0.5"};
  for (const std::string& edit : edits) {
    expect_plain_everywhere(with(base, {{"edit", edit}}), inputs, edit);
    const Request off = with(base, {{"edit", "off:" + edit}});
    EXPECT_TRUE(same_traces(*run(off, inputs, all_backends()[1]), *run(base, inputs, all_backends()[1]))) << edit;
  }
}

TEST(Interventions, ACapAfterTheMaskIsPutOnWhatStandsThere) {
  const Inputs inputs = fused_inputs(QkvLayout::per_head);
  for (const char* past : {"1", "3"}) {
    const Request base =
        with(phrase_request(),
             {{"mask", "causal,alibi"}, {"softcap", "1.5"}, {"softcap-order", "after-mask"}, {"past", past}});
    expect_plain_everywhere(base, inputs, "capped last");
    for (const char* edit :
         {"raw_scores:0,1,3,2=7", "scores:1,0,4,0=-2", "capped_scores:0,0,2,1=5", "masked_scores:1,1,1,0=0.25"}) {
      expect_plain_everywhere(with(base, {{"edit", edit}}), inputs, edit);
    }
  }
}

TEST(Interventions, NumbersThatNothingComesFromKeepTheirBits) {
  const Inputs inputs = fused_inputs(QkvLayout::per_head);
  const Request base = with(phrase_request(), {{"mask", "causal"}});
  for (const auto& backend : all_backends()) {
    for (const bool on_demand : {false, true}) {
      const auto before = run(base, inputs, backend, on_demand);
      const auto after = run(with(base, {{"edit", "scores:1,0,3,1=2"}}), inputs, backend, on_demand);
      for (const StageId stage : {StageId::masked_scores, StageId::weights, StageId::context}) {
        const Tensor &a = before->tensor(stage), &b = after->tensor(stage);
        for (std::int64_t n = 0; n < 2; ++n) {
          for (std::int64_t h = 0; h < 2; ++h) {
            for (std::int64_t i = 0; i < 5; ++i) {
              const auto row = [&](const Tensor& t) {
                return t.sliced(0, n, n + 1).sliced(1, h, h + 1).sliced(2, i, i + 1);
              };
              EXPECT_EQ(same_bits(row(a), row(b)), !(n == 1 && h == 0 && i == 3)) << stage_name(stage) << n << h << i;
            }
          }
        }
      }
      EXPECT_TRUE(same_bits(before->tensor(StageId::raw_scores), after->tensor(StageId::raw_scores)));
    }
  }
}

TEST(Interventions, HeadsAreHeldUnderMasksAndInCrossAttention) {
  for (const char* align : {"top-left", "bottom-right"}) {
    for (const MadeSizes& sizes : {MadeSizes{2, 4, 6, 4, 2, 3, 2}, MadeSizes{1, 6, 4, 2, 1, 3, 3}}) {
      for (const char* mask : {"none", "causal", "padding:1,causal", "window:1", "padding:9"}) {
        const Request request = with(alone_request(), {{"mask", mask},
                                                       {"causal-align", align},
                                                       {"freeze", "0.0=uniform,0.1=identity"},
                                                       {"edit", "weights:0,1,2,0=0.5;scores:0,0,1,1=9"}});
        expect_plain_everywhere(request, alone_inputs(sizes), fmt::format("{} {}", align, mask));
      }
    }
  }
}

TEST(Interventions, QueriesAndKeysAreMultipliedWholeAndByHead) {
  const Request request =
      with(alone_request(), {{"scale-query", "2,0.3=-0.5,off:0.1=100"}, {"scale-key", "0.1=0.25"}, {"mask", "causal"}});
  expect_plain_everywhere(request, alone_inputs({2, 5, 5, 4, 2, 3, 2}), "factors");
  expect_plain_everywhere(with(phrase_request(), {{"scale-key", "3"}, {"scale-query", "0.0=0"}}),
                          fused_inputs(QkvLayout::per_head), "factors of a projection");
}

TEST(Interventions, PaintedCellsLieOverTheMasksInTheirOrder) {
  for (const char* paint : {"hide@:,2", "hide@1:3,:;show@2,0:2", "show@0,4;hide@0,4",
                            "hide@3,:", "show@:,:", "off:hide@:,:;hide@9:,0", "hide@0:99,3:99"}) {
    expect_plain_everywhere(with(alone_request(), {{"mask", "causal"}, {"paint", paint}}), alone_inputs({}), paint);
  }
}

TEST(Interventions, TheFillOfAPaintedCellIsThatOfTheMask) {
  expect_plain_everywhere(with(alone_request(), {{"mask-fill", "-1e20"}, {"paint", "hide@1,:;hide@2,0:3"}}),
                          alone_inputs({}), "finite fill");
}

TEST(Interventions, StepByStepFollowsThemToo) {
  const Request request = with(
      alone_request(), {{"variant", "softmax-over-queries"},
                        {"mask", "window:2"},
                        {"scale", "1"},
                        {"freeze", "0.1=uniform"},
                        {"edit", "raw_scores:0,0,1,2=3;scores:0,0,2,2=-1;masked_scores:0,1,0,0=4;weights:0,0,0,0=0.5"},
                        {"paint", "show@0,4"},
                        {"scale-query", "1.5"}});
  for (const auto& backend : all_backends()) {
    expect_plain(*run(request, alone_inputs({}), backend), request, alone_inputs({}), "step by step");
  }
}

TEST(Interventions, AnyCompositionIsWhatPlainLoopsGiveOnEveryRoad) {
  Chance chance{std::mt19937(5)};
  for (int round = 0; round < 120; ++round) {
    const bool fused = chance.one_in(2);
    Inputs inputs = fused ? fused_inputs(QkvLayout::per_head, {.batch = 2,
                                                               .len = 5,
                                                               .input_dim = 7,
                                                               .heads = 2,
                                                               .head_dim = 3,
                                                               .seed = static_cast<std::uint32_t>(round)})
                          : alone_inputs({1, 5, 5 + chance.below(2), 4, 2, 3, 2}, static_cast<std::uint32_t>(round));
    if (chance.one_in(3)) {
      inputs.dropout_mask = random_tensor({inputs.batch, inputs.num_heads, inputs.query_len, inputs.key_len}, 9);
      std::vector<float> kept = inputs.dropout_mask.values();
      for (float& each : kept) each = each > 0 ? 1.0F : 0.0F;
      inputs.dropout_mask = tensor_of(inputs.dropout_mask.shape(), kept);
    }
    const Request request = random_request(chance, inputs, fused);
    const std::string what = fmt::format("round {}: {}", round, fmt::join(command_line_of(request), " "));
    expect_plain_everywhere(request, inputs, what);
    const auto one = run(request, inputs, all_backends()[1]);
    ASSERT_TRUE(same_traces(*one, *run(request, inputs, all_backends()[2]))) << what;
    ASSERT_TRUE(same_traces(*one, *run(request, inputs, all_backends()[1], true))) << what;
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace headscope

// Which stages a request has, their shapes, what is said of them, and what shares storage.
#include <gtest/gtest.h>

#include <string>

#include "core/base/assert.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

// "input[2, 5, 7] qkv[...]"
std::string stages_of(const Trace& trace) {
  std::string text;
  for (const Stage& stage : trace.stages) {
    text += (text.empty() ? "" : " ") + std::string(stage_name(stage.id)) + to_string(stage.tensor.shape());
  }
  return text;
}

std::string operation(const Trace& trace, StageId id) {
  return trace.find(id)->operation;
}

Request masked(const std::string& mask) {
  Request request = phrase_request();
  find_request_option("mask")->set(request, mask);
  return request;
}

const std::string kScores =
    " raw_scores[2, 2, 5, 5] scores[2, 2, 5, 5] masked_scores[2, 2, 5, 5] weights[2, 2, 5, 5]"
    " context[2, 2, 5, 3] concat[2, 5, 6]";
const std::string kHeads = " query[2, 2, 5, 3] key[2, 2, 5, 3] value[2, 2, 5, 3]";
const std::string kProjections = " query_proj[2, 5, 6] key_proj[2, 5, 6] value_proj[2, 5, 6]";

TEST(StagesOfTrace, FusedPerHead) {
  EXPECT_EQ(stages_of(*traced(phrase_request(), fused_inputs(QkvLayout::per_head))),
            "input[2, 5, 7] qkv[2, 5, 18] qkv_split[2, 5, 2, 9] qkv_heads[2, 2, 5, 9]" + kHeads + kScores +
                " output[2, 5, 6]");
}

TEST(StagesOfTrace, FusedBlocked) {
  EXPECT_EQ(stages_of(*traced(phrase_request(), fused_inputs(QkvLayout::blocked))),
            "input[2, 5, 7] qkv[2, 5, 18]" + kProjections + kHeads + kScores + " output[2, 5, 6]");
}

TEST(StagesOfTrace, SeparateProjections) {
  Inputs inputs = fused_inputs(QkvLayout::blocked);
  inputs.weights.qkv = {};
  inputs.weights.query = random_linear(7, 6, 1);
  inputs.weights.key = random_linear(7, 6, 2);
  inputs.weights.value = random_linear(7, 6, 3, false);
  inputs.weights.output = {};
  const auto trace = traced(phrase_request(), inputs);
  EXPECT_EQ(stages_of(*trace), "input[2, 5, 7]" + kProjections + kHeads + kScores);
  EXPECT_EQ(operation(*trace, StageId::query_proj), "x · Wq + b");
  EXPECT_EQ(operation(*trace, StageId::value_proj), "x · Wv");
}

TEST(StagesOfTrace, CrossAttentionWithAFusedProjection) {
  Inputs inputs = fused_inputs(QkvLayout::per_head);
  inputs.key_x = random_tensor({2, 5, 7}, 5);
  Request request = phrase_request();
  request.key_phrase = "v w x y z";
  const auto trace = traced(request, inputs);
  EXPECT_EQ(stages_of(*trace), "input[2, 5, 7] key_input[2, 5, 7] value_input[2, 5, 7]" + kProjections + kHeads +
                                   kScores + " output[2, 5, 6]");
  EXPECT_TRUE(trace->find(StageId::value_input)->equals_previous);
  EXPECT_TRUE(same_storage(trace->tensor(StageId::value_input), trace->tensor(StageId::key_input)));
}

TEST(StagesOfTrace, AttentionAlone) {
  EXPECT_EQ(stages_of(*traced(alone_request(), alone_inputs({2, 5, 5, 2, 2, 3, 3}))), kHeads.substr(1) + kScores);
}

TEST(StagesOfTrace, SoftcapAndDropoutHaveTheirOwn) {
  Request request = alone_request();
  request.softcap = 20;
  request.dropout = 0.5;
  const auto trace = traced(request, alone_inputs({}));
  EXPECT_EQ(stages_of(*trace),
            "query[1, 2, 5, 3] key[1, 2, 5, 3] value[1, 2, 5, 3] raw_scores[1, 2, 5, 5] scores[1, 2, 5, 5]"
            " capped_scores[1, 2, 5, 5] masked_scores[1, 2, 5, 5] weights[1, 2, 5, 5] dropped_weights[1, 2, 5, 5]"
            " context[1, 2, 5, 3] concat[1, 5, 6]");
  EXPECT_EQ(operation(*trace, StageId::dropped_weights), "dropout 0.5");
  EXPECT_EQ(operation(*trace, StageId::capped_scores), "20 · tanh(s ÷ 20)");
}

TEST(StagesOfTrace, OperationsReadAsOnScreen) {
  const auto trace = traced(masked("causal"), fused_inputs(QkvLayout::per_head));
  EXPECT_EQ(operation(*trace, StageId::input), "embed");
  EXPECT_EQ(operation(*trace, StageId::qkv), "x · Wqkv + b");
  EXPECT_EQ(operation(*trace, StageId::query), "split");
  EXPECT_EQ(operation(*trace, StageId::raw_scores), "q · kᵀ");
  EXPECT_EQ(operation(*trace, StageId::scores), "÷ √3");
  EXPECT_EQ(operation(*trace, StageId::masked_scores), "+ causal mask");
  EXPECT_EQ(operation(*trace, StageId::weights), "softmax");
  EXPECT_EQ(operation(*trace, StageId::context), "· value");
  EXPECT_EQ(operation(*trace, StageId::concat), "merge heads");
  EXPECT_EQ(operation(*trace, StageId::output), "x · Wo + b");
  Request request = masked("prefix:2,padding:1");
  request.scale = 0.2;
  request.mask_order = MaskOrder::before_scale;
  request.merge = Merge::direct;
  request.ablate = {{0, 1}};
  const auto other = traced(request, fused_inputs(QkvLayout::per_head));
  EXPECT_EQ(operation(*other, StageId::scores), "+ prefix 2, padding 1 mask × 0.2");
  EXPECT_EQ(operation(*other, StageId::context), "· value, head 1 = 0");
  EXPECT_EQ(operation(*other, StageId::concat), "reshape, not transposed");
}

TEST(StagesOfTrace, WhereNothingIsDoneStorageIsShared) {
  Request request = phrase_request();
  request.scale = 1;
  auto trace = traced(request, fused_inputs(QkvLayout::per_head));
  EXPECT_TRUE(trace->find(StageId::scores)->equals_previous);
  EXPECT_TRUE(trace->find(StageId::masked_scores)->equals_previous);
  EXPECT_TRUE(same_storage(trace->tensor(StageId::masked_scores), trace->tensor(StageId::raw_scores)));
  EXPECT_EQ(operation(*trace, StageId::masked_scores), "no mask");

  request = masked("causal");
  request.mask_order = MaskOrder::before_scale;
  trace = traced(request, fused_inputs(QkvLayout::per_head));
  EXPECT_FALSE(trace->find(StageId::scores)->equals_previous);
  EXPECT_TRUE(trace->find(StageId::masked_scores)->equals_previous);

  trace = traced(masked("padding:0"), fused_inputs(QkvLayout::per_head));
  EXPECT_TRUE(trace->find(StageId::masked_scores)->equals_previous);
  EXPECT_EQ(operation(*trace, StageId::masked_scores), "mask hides nothing");

  trace = traced(masked("causal"), fused_inputs(QkvLayout::per_head));
  EXPECT_FALSE(trace->find(StageId::masked_scores)->equals_previous);
  for (StageId id : {StageId::qkv_split, StageId::qkv_heads, StageId::query}) {
    EXPECT_EQ(trace->tensor(id).data(), trace->tensor(StageId::qkv).data()) << stage_name(id);
  }
}

TEST(StagesOfTrace, EveryStageHasAxesThatFitItsMeaning) {
  const auto trace = traced(masked("causal"), fused_inputs(QkvLayout::per_head));
  for (const Stage& stage : trace->stages) {
    const Axes& axes = stage.tensor.axes();
    if (is_score_like(stage.id)) {
      EXPECT_EQ(axes, (Axes{Axis::batch, Axis::head, Axis::query, Axis::key})) << stage_name(stage.id);
    } else if (stage.id == StageId::context || stage.id == StageId::qkv_heads) {
      EXPECT_EQ(axes, (Axes{Axis::batch, Axis::head, Axis::position, Axis::feature})) << stage_name(stage.id);
    } else if (stage.id == StageId::qkv || stage.id == StageId::concat || stage.id == StageId::output) {
      EXPECT_EQ(axes, (Axes{Axis::batch, Axis::position, Axis::feature})) << stage_name(stage.id);
    }
  }
}

TEST(StagesOfTrace, SaysWhatMadeIt) {
  const auto trace = traced(phrase_request(), fused_inputs(QkvLayout::per_head));
  EXPECT_EQ(trace->backend, "reference");
  EXPECT_TRUE(trace->seeded_weights);
  EXPECT_TRUE(std::abs(trace->scale - 1 / std::sqrt(3.0)) <= 1e-15);
  EXPECT_EQ(trace->num_heads(), 2);
  EXPECT_EQ(trace->query_labels().size(), 5U);
  EXPECT_EQ(trace->key_labels().size(), 5U);
  EXPECT_FALSE(traced(alone_request(), alone_inputs({}))->seeded_weights);
  EXPECT_THROW(trace->tensor(StageId::key_input), Bug);
  EXPECT_EQ(trace->find(StageId::key_input), nullptr);
}

}  // namespace
}  // namespace headscope

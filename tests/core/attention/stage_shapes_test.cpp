// What stage_infos() says of shapes and axes before anything is computed, against traces.
#include <gtest/gtest.h>

#include <string>

#include "core/attention/engine.h"
#include "core/attention/interventions.h"
#include "core/attention/stage_layout.h"
#include "core/attention/stage_sources.h"
#include "core/request/request_text.h"
#include "core/request/stage_info.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

// The trace has the stages that its request should have, in the shapes that the rows say, and no others.
void expect_rows(const Trace& trace, const std::string& what) {
  for (const StageInfo& info : stage_infos()) {
    const std::string where = what + ": " + std::string(info.name);
    const std::optional<Shape> shape = stage_shape(trace.request, *trace.inputs, info.id);
    const Stage* stage = trace.find(info.id);
    ASSERT_EQ(shape.has_value(), stage != nullptr) << where;
    if (stage == nullptr) continue;
    EXPECT_EQ(to_string(*shape), to_string(stage->tensor.shape())) << where;
    // Tensors that are given here have no names for their axes.
    const bool given = info.made.from.empty() || (!trace.inputs->query.empty() && info.card == StageCard::heads);
    for (int axis = 0; axis < stage->tensor.rank() && !given; ++axis) {
      EXPECT_STREQ(axis_name(stage->tensor.axes()[axis]), axis_name(info.axes[static_cast<std::size_t>(axis)].axis))
          << where << ", axis " << axis;
    }
    EXPECT_EQ(feeding_stages(trace, info.id).empty(), given) << where;
  }
}

Request shapes_with(Request request, const char* option, const std::string& text) {
  find_request_option(option)->set(request, text);
  return request;
}

Inputs grouped_cross_inputs(bool bias) {
  Inputs inputs = sized_inputs({2, 3, 4, 4, 2, 3, 5});
  inputs.input_dim = 6;
  inputs.x = random_tensor({2, 3, 6}, 1);
  inputs.key_x = random_tensor({2, 4, 7}, 2);
  inputs.value_x = random_tensor({2, 4, 8}, 3);
  inputs.weights.query = random_linear(6, 12, 4);
  inputs.weights.key = random_linear(7, 6, 5, false);
  inputs.weights.value = random_linear(8, 10, 6);
  inputs.weights.output = random_linear(20, 9, 7);
  inputs.d_model = 9;
  if (bias) {
    inputs.weights.bias_k = random_tensor({6}, 8);
    inputs.weights.bias_v = random_tensor({10}, 9);
  }
  return inputs;
}

Request cross_request() {
  Request request;
  request.input = "x.npy";
  request.key_input = "k.npy";
  request.value_input = "v.npy";
  return request;
}

TEST(StageShapes, OfSelfAttentionPerHeadAndBlocked) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    expect_rows(*traced(phrase_request(), fused_inputs(layout)), "fused");
    Inputs inputs = fused_inputs(layout);
    inputs.weights.bias_k = random_tensor({6}, 8);
    inputs.weights.bias_v = random_tensor({6}, 9);
    expect_rows(*traced(phrase_request(), inputs), "bias_k");
  }
}

TEST(StageShapes, OfSeparateProjectionsWithoutAnOutput) {
  Inputs inputs = fused_inputs(QkvLayout::blocked);
  inputs.weights.qkv = {};
  inputs.weights.query = random_linear(7, 6, 1);
  inputs.weights.key = random_linear(7, 6, 2);
  inputs.weights.value = random_linear(7, 6, 3, false);
  inputs.weights.output = {};
  expect_rows(*traced(phrase_request(), inputs), "separate");
}

TEST(StageShapes, OfCrossAttentionWithGroupedAndUnequalHeads) {
  expect_rows(*traced(cross_request(), grouped_cross_inputs(false)), "cross");
  expect_rows(*traced(cross_request(), grouped_cross_inputs(true)), "cross, bias_k");
  Inputs fused = fused_inputs(QkvLayout::per_head);
  fused.key_x = random_tensor({2, 5, 7}, 5);
  Request request = phrase_request();
  request.key_phrase = "v w x y z";
  expect_rows(*traced(request, fused), "cross, fused");
}

TEST(StageShapes, OfAttentionAlone) {
  const Inputs inputs = alone_inputs({2, 5, 4, 4, 2, 3, 6});
  expect_rows(*traced(alone_request(), inputs), "alone");
  const Request all =
      shapes_with(shapes_with(shapes_with(alone_request(), "softcap", "20"), "dropout", "0.5"), "mask", "causal");
  expect_rows(*traced(all, inputs), "softcap and dropout");
}

TEST(StageShapes, WhenWeightsAreComputedWhenRead) {
  ForwardOptions options;
  options.stage_memory = 0;
  const auto inputs = std::make_shared<const Inputs>(fused_inputs(QkvLayout::per_head));
  expect_rows(*forward(phrase_request(), inputs, make_reference_backend(), CancelToken(), options), "on demand");
}

TEST(StageShapes, OfALayerOfADemo) {
  Engine engine;
  Request request = phrase_request();
  request.model = "demo:pronouns";
  request.phrase = "the animal was tired";
  for (const std::int64_t layer : {std::int64_t{0}, std::int64_t{1}}) {
    request.layer = layer;
    expect_rows(*engine.run(request, CancelToken()), "layer " + std::to_string(layer));
  }
}

TEST(StageShapes, HeadsComeFirstWhereverTheyStand) {
  const auto trace = traced(phrase_request(), fused_inputs(QkvLayout::per_head));
  const Tensor split = heads_first(StageId::qkv_split, trace->tensor(StageId::qkv_split));
  EXPECT_TRUE(same_bits(split, trace->tensor(StageId::qkv_heads)));
  EXPECT_TRUE(same_storage(heads_first(StageId::query, trace->tensor(StageId::query)), trace->tensor(StageId::query)));
  EXPECT_EQ(axes_order(StageId::qkv_split, StageId::qkv_heads), (PerAxis<int>{0, 2, 1, 3}));
}

}  // namespace
}  // namespace headscope

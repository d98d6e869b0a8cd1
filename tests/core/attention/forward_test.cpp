// The whole forward against an independent evaluation of the formulas, convention by convention.
#include "core/attention/forward.h"
#include "core/attention/input_problem.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Expected {
  Tensor masked_scores, weights, context;
};

// Every formula in double, from query, key and value alone.
Expected expected_attention(const Request& r, const Inputs& in, const Mask& mask) {
  const std::int64_t group = in.num_heads / in.num_kv_heads;
  const double scale = r.scale.value_or(1 / std::sqrt(static_cast<double>(in.head_dim)));
  std::vector<float> scores, weights, context;
  for (std::int64_t b = 0; b < in.batch; ++b) {
    for (std::int64_t h = 0; h < in.num_heads; ++h) {
      for (std::int64_t i = 0; i < in.query_len; ++i) {
        std::vector<double> row;
        double max = -kInfinity;
        for (std::int64_t j = 0; j < in.key_len; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < in.head_dim; ++d) {
            score += static_cast<double>(in.query.at({b, h, i, d})) * in.key.at({b, h / group, j, d});
          }
          const bool hidden = mask.hidden.hidden(b, h, i, j);
          const double added = mask.added.empty() ? 0 : mask.added.at({0, mask.added.dim(1) == 1 ? 0 : h, i, j});
          if (r.mask_order == MaskOrder::before_scale) {
            score = hidden ? (r.mask_fill == -kInfinity ? -kInfinity : r.mask_fill * scale) : (score + added) * scale;
          } else {
            score *= scale;
            const bool capped_last = r.softcap_order == SoftcapOrder::after_mask;
            if (capped_last) score += added;
            if (r.softcap) score = *r.softcap * std::tanh(score / *r.softcap);
            score = hidden ? r.mask_fill : capped_last ? score : score + added;
          }
          row.push_back(score);
          scores.push_back(static_cast<float>(score));
          max = std::max(max, score);
        }
        double sum = 0;
        for (double score : row) sum += std::exp(score - max);
        for (double& score : row) weights.push_back(static_cast<float>(score = std::exp(score - max) / sum));
        for (std::int64_t d = 0; d < in.value_head_dim; ++d) {
          double total = 0;
          for (std::int64_t j = 0; j < in.key_len; ++j) {
            if (row[static_cast<std::size_t>(j)] == 0) continue;
            total += row[static_cast<std::size_t>(j)] * in.value.at({b, h / group, j, d});
          }
          context.push_back(static_cast<float>(total));
        }
      }
    }
  }
  return {tensor_of({in.batch, in.num_heads, in.query_len, in.key_len}, scores),
          tensor_of({in.batch, in.num_heads, in.query_len, in.key_len}, weights),
          tensor_of({in.batch, in.num_heads, in.query_len, in.value_head_dim}, context)};
}

void set(Request& request, const char* option, const char* value) {
  find_request_option(option)->set(request, value);
}

TEST(Forward, FollowsTheFormulasUnderEveryConvention) {
  const std::vector<std::vector<std::pair<const char*, const char*>>> conventions = {
      {},
      {{"mask", "causal"}},
      {{"mask", "causal"}, {"mask-order", "before-scale"}},
      {{"mask", "causal"}, {"mask-order", "before-scale"}, {"mask-fill", "-1e20"}},
      {{"mask", "padding:2"}, {"mask-fill", "-1e20"}},
      {{"mask", "window:1"}, {"causal-align", "bottom-right"}},
      {{"mask", "prefix:3,padding:1"}, {"mask-fill", "-2"}},
      {{"scale", "0.7"}},
      {{"scale", "-0.7"}, {"mask", "causal"}, {"mask-order", "before-scale"}},
      {{"scale", "0"}, {"mask", "causal"}, {"mask-order", "before-scale"}},
      {{"scale", "1"}, {"mask", "causal"}},
      {{"softcap", "0.3"}, {"mask", "causal"}},
      {{"softcap", "0.3"}, {"softcap-order", "after-mask"}, {"mask", "alibi,window:2"}, {"mask-fill", "-2"}},
      {{"softcap", "2"}, {"softcap-order", "after-mask"}, {"mask", "alibi,m.npy"}, {"past", "2"}},
      {{"mask", "padding:1,m.npy"}},
      {{"mask", "m.npy"}, {"mask-order", "before-scale"}},
      {{"mask", "alibi"}},
      {{"mask", "causal,alibi"}, {"causal-align", "bottom-right"}, {"mask-order", "before-scale"}},
      {{"mask", "padding:1,alibi,m.npy"}},
  };
  for (const MadeSizes& sizes :
       {MadeSizes{}, MadeSizes{2, 3, 6, 4, 2, 5, 2}, MadeSizes{1, 4, 7, 6, 1, 1, 3}, MadeSizes{3, 1, 3, 1, 1, 2, 4}}) {
    for (const auto& convention : conventions) {
      Request request = alone_request();
      std::string name;
      for (const auto& [option, value] : convention) {
        set(request, option, value);
        name += std::string(option) + "=" + value + " ";
      }
      Inputs inputs = alone_inputs(sizes);
      if (name.find("m.npy") != std::string::npos) {
        inputs.mask_files = {{"m.npy", random_tensor({sizes.query_len, sizes.key_len}, 9), false}};
      }
      const auto shared = std::make_shared<const Inputs>(inputs);
      ASSERT_EQ(find_problem(request, *shared), std::nullopt) << name;
      for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
        const auto trace = forward(request, shared, backend, CancelToken());
        const Expected expected = expected_attention(request, inputs, *trace->mask);
        const Tensor scores = trace->tensor(StageId::masked_scores).dense_copy();
        for (std::int64_t i = 0; i < scores.size(); ++i) {
          const double found = scores.data()[i], wanted = expected.masked_scores.data()[i];
          EXPECT_TRUE(found == wanted || std::abs(found - wanted) <= 2e-6 * (1 + std::abs(wanted))) << name << found;
        }
        EXPECT_TRUE(largest_difference(trace->tensor(StageId::weights), expected.weights) <= 2e-6) << name;
        EXPECT_TRUE(largest_difference(trace->tensor(StageId::context), expected.context) <= 4e-6) << name;
      }
    }
  }
}

TEST(Forward, FusedRowsAreReadPerHeadOrInBlocks) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    const Inputs inputs = fused_inputs(layout);
    const auto trace = traced(phrase_request(), inputs);
    const Tensor& qkv = trace->tensor(StageId::qkv);
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t d = 0; d < 3; ++d) {
        const std::int64_t row = layout == QkvLayout::per_head ? h * 9 + d : h * 3 + d;
        const std::int64_t step = layout == QkvLayout::per_head ? 3 : 6;
        EXPECT_EQ(trace->tensor(StageId::query).at({1, h, 4, d}), qkv.at({1, 4, row}));
        EXPECT_EQ(trace->tensor(StageId::key).at({1, h, 4, d}), qkv.at({1, 4, row + step}));
        EXPECT_EQ(trace->tensor(StageId::value).at({1, h, 4, d}), qkv.at({1, 4, row + 2 * step}));
      }
    }
    // qkv itself, one cell by hand.
    double sum = inputs.weights.qkv.bias.at({13});
    for (std::int64_t f = 0; f < 7; ++f) {
      sum += static_cast<double>(inputs.x.at({1, 3, f})) * inputs.weights.qkv.weight.at({13, f});
    }
    EXPECT_TRUE(std::abs(qkv.at({1, 3, 13}) - sum) <= 1e-6);
  }
}

TEST(Forward, CrossAttentionUsesTheRowsOfAFusedProjectionOnTheirOwnInputs) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    Inputs inputs = fused_inputs(layout);
    const auto self = traced(phrase_request(), inputs);
    inputs.key_x = random_tensor({2, 4, 7}, 50);
    inputs.value_x = random_tensor({2, 4, 7}, 51);
    inputs.key_len = 4;
    Request request = phrase_request();
    request.key_phrase = "w x y z";
    const auto cross = traced(request, inputs);
    EXPECT_EQ(cross->find(StageId::qkv), nullptr);
    EXPECT_TRUE(same_bits(cross->tensor(StageId::query), self->tensor(StageId::query)));
    // With the key input as x, self-attention gives the keys that cross-attention must give.
    Inputs keys = fused_inputs(layout);
    keys.x = inputs.key_x;
    keys.query_len = keys.key_len = 4;
    EXPECT_TRUE(same_bits(cross->tensor(StageId::key), traced(phrase_request(), keys)->tensor(StageId::key)));
    keys.x = inputs.value_x;
    EXPECT_TRUE(same_bits(cross->tensor(StageId::value), traced(phrase_request(), keys)->tensor(StageId::value)));
  }
}

TEST(Forward, AnIdenticalKeyInputGivesTheSameOutputAsSelfAttention) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    Inputs inputs = fused_inputs(layout);
    const auto self = traced(phrase_request(), inputs);
    inputs.key_x = inputs.x;
    Request request = phrase_request();
    request.key_phrase = request.phrase;
    EXPECT_TRUE(same_bits(traced(request, inputs)->tensor(StageId::output), self->tensor(StageId::output)));
  }
}

Inputs separate_inputs(bool bias_key = false) {
  MadeSizes sizes{2, 3, 4, 4, 2, 3, 5};
  Inputs inputs = sized_inputs(sizes);
  inputs.input_dim = 6;
  inputs.x = random_tensor({2, 3, 6}, 1);
  inputs.key_x = random_tensor({2, 4, 7}, 2);
  inputs.value_x = random_tensor({2, 4, 8}, 3);
  inputs.weights.query = random_linear(6, 12, 4);
  inputs.weights.key = random_linear(7, 6, 5, false);
  inputs.weights.value = random_linear(8, 10, 6);
  inputs.weights.output = random_linear(20, 9, 7);
  inputs.d_model = 9;
  if (bias_key) {
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

TEST(Forward, SeparateProjectionsOfThreeInputsWithGroupedAndUnequalHeads) {
  const Inputs inputs = separate_inputs();
  ASSERT_EQ(find_problem(cross_request(), inputs), std::nullopt);
  const auto trace = traced(cross_request(), inputs);
  EXPECT_EQ(trace->tensor(StageId::key_proj).shape(), (Shape{2, 4, 6}));
  EXPECT_EQ(trace->tensor(StageId::value).shape(), (Shape{2, 2, 4, 5}));
  EXPECT_EQ(trace->tensor(StageId::concat).shape(), (Shape{2, 3, 20}));
  EXPECT_EQ(trace->tensor(StageId::output).shape(), (Shape{2, 3, 9}));
  EXPECT_EQ(trace->tensor(StageId::value).at({1, 1, 3, 2}), trace->tensor(StageId::value_proj).at({1, 3, 7}));
  EXPECT_EQ(trace->tensor(StageId::concat).at({1, 2, 3 * 5 + 4}), trace->tensor(StageId::context).at({1, 3, 2, 4}));
  // Heads 2 and 3 read kv head 1.
  double raw = 0;
  for (std::int64_t d = 0; d < 3; ++d) {
    raw += static_cast<double>(trace->tensor(StageId::query).at({1, 3, 2, d})) *
           trace->tensor(StageId::key).at({1, 1, 3, d});
  }
  EXPECT_TRUE(std::abs(trace->tensor(StageId::raw_scores).at({1, 3, 2, 3}) - raw) <= 1e-6);
}

TEST(Forward, BiasKAddsAKeyThatNoMaskHides) {
  Request request = cross_request();
  set(request, "mask", "causal,padding:4");
  const Inputs inputs = separate_inputs(true);
  ASSERT_EQ(find_problem(request, inputs), std::nullopt);
  const auto trace = traced(request, inputs);
  EXPECT_EQ(trace->tensor(StageId::key).shape(), (Shape{2, 2, 5, 3}));
  EXPECT_EQ(trace->tensor(StageId::value).shape(), (Shape{2, 2, 5, 5}));
  EXPECT_EQ(trace->tensor(StageId::key_proj).shape(), (Shape{2, 4, 6}));
  EXPECT_EQ(trace->tensor(StageId::key).at({1, 1, 4, 2}), inputs.weights.bias_k.at({5}));
  EXPECT_EQ(trace->tensor(StageId::value).at({1, 1, 4, 4}), inputs.weights.bias_v.at({9}));
  EXPECT_EQ(trace->tensor(StageId::key).at({1, 1, 3, 2}), trace->tensor(StageId::key_proj).at({1, 3, 5}));
  EXPECT_EQ(trace->key_len(), 5);
  EXPECT_EQ(trace->key_labels().back(), "bias_k");
  EXPECT_EQ(trace->key_labels().size(), 5U);
  EXPECT_EQ(trace->fully_masked_rows, 0) << "the extra key is always seen";
  EXPECT_EQ(trace->tensor(StageId::weights).at({1, 3, 2, 4}), 1.0F);
}

TEST(Forward, BiasKWorksWithPerHeadRowsToo) {
  Inputs inputs = fused_inputs(QkvLayout::per_head);
  inputs.weights.bias_k = random_tensor({6}, 8);
  inputs.weights.bias_v = random_tensor({6}, 9);
  const auto trace = traced(phrase_request(), inputs);
  EXPECT_EQ(trace->tensor(StageId::key).shape(), (Shape{2, 2, 6, 3}));
  EXPECT_EQ(trace->tensor(StageId::key).at({1, 1, 4, 2}), trace->tensor(StageId::qkv).at({1, 4, 9 + 3 + 2}));
  EXPECT_EQ(trace->tensor(StageId::key).at({0, 1, 5, 0}), inputs.weights.bias_k.at({3}));
}

TEST(Forward, ACancelledForwardThrows) {
  CancelToken cancel;
  cancel.cancel();
  const auto inputs = std::make_shared<const Inputs>(fused_inputs(QkvLayout::per_head));
  for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
    EXPECT_THROW(forward(phrase_request(), inputs, backend, cancel), Cancelled);
  }
}

}  // namespace
}  // namespace headscope

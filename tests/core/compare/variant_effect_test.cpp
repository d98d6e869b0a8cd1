// What the known mistakes do: leaks held against tokens that are really exchanged, blocks against numbered rows.
#include "core/compare/variant_effect.h"

#include <gtest/gtest.h>

#include <set>

#include "core/compare/variant_run.h"
#include "core/compare/variant_text.h"
#include "core/explain/block_origin.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request masked(const char* mask) {
  Request request = phrase_request();
  find_request_option("mask")->set(request, mask);
  return request;
}

Inputs with_changed_token(Inputs inputs, std::int64_t token) {
  std::vector<float> x = inputs.x.values();
  const std::int64_t width = inputs.x.dim(2);
  for (std::int64_t b = 0; b < inputs.batch; ++b) {
    for (std::int64_t d = 0; d < width; ++d) {
      float& value = x[static_cast<std::size_t>((b * inputs.query_len + token) * width + d)];
      value = 0.5F - value;
    }
  }
  inputs.x = Tensor::of(inputs.x.shape(), inputs.x.axes(), x);
  return inputs;
}

bool row_changes(const Tensor& a, const Tensor& b, std::int64_t batch, std::int64_t row) {
  for (std::int64_t d = 0; d < a.dim(2); ++d) {
    const float left = a.at({batch, row, d}), right = b.at({batch, row, d});
    if (!(std::abs(left - right) <= 1e-6F) && !(std::isnan(left) && std::isnan(right))) return true;
  }
  return false;
}

// Rows of concat that change when a token changes which the mask hides from them.
std::int64_t leaking_rows(const Request& request, const Inputs& inputs, const Trace& right) {
  const Tensor before = traced(request, inputs)->tensor(StageId::concat);
  std::set<std::pair<std::int64_t, std::int64_t>> leaking;
  for (std::int64_t token = 0; token < inputs.query_len; ++token) {
    const Tensor after = traced(request, with_changed_token(inputs, token))->tensor(StageId::concat);
    for (std::int64_t b = 0; b < inputs.batch; ++b) {
      for (std::int64_t i = 0; i < inputs.query_len; ++i) {
        if (i != token && right.mask->hidden.hidden(b, 0, i, token) && row_changes(before, after, b, i)) {
          leaking.insert({b, i});
        }
      }
    }
  }
  return static_cast<std::int64_t>(leaking.size());
}

TEST(VariantEffect, LeaksAreTheRowsThatReallyChange) {
  int compared = 0;
  for (const char* mask : {"causal", "padding:2", "window:1", "prefix:2"}) {
    for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
      // As many tokens as head features, so that every variant runs.
      const Inputs inputs =
          fused_inputs(layout, {.batch = 2, .len = 5, .input_dim = 7, .heads = 3, .head_dim = 5, .seed = 90});
      const auto right = traced(masked(mask), inputs);
      std::vector<std::vector<std::string>> picks;
      for (std::size_t a = 0; a < variant_names().size(); ++a) {
        picks.push_back({std::string(variant_names()[a])});
        for (std::size_t b = a + 1; b < variant_names().size(); ++b) {
          picks.push_back({std::string(variant_names()[a]), std::string(variant_names()[b])});
        }
      }
      for (const auto& names : picks) {
        if (variant_problem(*right, names)) continue;
        const auto wrong = rerun(*right, names, make_reference_backend(), {});
        const MaskLeak leak = mask_leak(*right, *wrong, {});
        EXPECT_TRUE(leak.masked);
        EXPECT_EQ(leak.leaking, leaking_rows(wrong->request, inputs, *right))
            << mask << " " << names.front() << " " << names.back();
        ++compared;
      }
      EXPECT_EQ(mask_leak(*right, *right, {}).leaking, 0);
    }
  }
  EXPECT_GE(compared, 150);
}

TEST(VariantEffect, TheMergeOfTheMockUp) {
  // 12 tokens, 8 heads of 8: what the direct merge does to a causal layer.
  const Inputs inputs =
      fused_inputs(QkvLayout::blocked, {.batch = 1, .len = 12, .input_dim = 16, .heads = 8, .head_dim = 8, .seed = 7});
  const auto right = traced(masked("causal"), inputs);
  const auto wrong = rerun(*right, {"merge-direct"}, make_reference_backend(), {});
  const VariantEffect effect = variant_effect(*right, *wrong, {});
  EXPECT_EQ(effect.first_different, StageId::concat);
  EXPECT_EQ(effect.leak.leaking, 10);
  EXPECT_EQ(effect.leak.rows, 12);
  EXPECT_TRUE(effect.leak.from_the_future);
  const BlockComparison blocks = compare_blocks(*right, *wrong, StageId::concat);
  EXPECT_EQ(blocks.blocks, 96);
  EXPECT_EQ(blocks.in_place, 2);
  EXPECT_EQ(blocks.least_tokens, 8);
  EXPECT_EQ(blocks.most_tokens, 8);
  EXPECT_EQ(blocks.least_heads, 1);
  EXPECT_EQ(blocks.most_heads, 2);
  const StageDifference* concat = effect.find(StageId::concat);
  EXPECT_TRUE(std::abs(concat->right_norm - concat->wrong_norm) <= 1e-6 * concat->right_norm);
  EXPECT_TRUE(std::abs(concat->largest -
                       largest_difference(right->tensor(StageId::concat), wrong->tensor(StageId::concat))) <= 0);
  const auto said = variant_verdicts(*right, *wrong, effect, StageId::concat);
  std::string text;
  for (const Verdict& verdict : said) text += verdict.text + "\n";
  EXPECT_NE(text.find("Each concat row mixes 8 tokens and 1 or 2 heads instead of 1 token and 8 heads."), text.npos);
  EXPECT_NE(text.find("The future leaks: 10 of 12 rows"), text.npos) << text;
  EXPECT_NE(text.find("2 of 96 blocks stay in place: the first and the last."), text.npos) << text;
  EXPECT_NE(text.find("Shape, sum and norm stay equal"), text.npos) << text;
  EXPECT_NE(text.find("Weights are untouched"), text.npos) << text;
}

TEST(VariantEffect, RowsOfWeights) {
  const Inputs inputs =
      fused_inputs(QkvLayout::per_head, {.batch = 1, .len = 5, .input_dim = 7, .heads = 2, .head_dim = 3, .seed = 3});
  const auto right = traced(masked("causal"), inputs);
  const auto of = [&](const char* name) {
    return variant_effect(*right, *rerun(*right, {name}, make_reference_backend(), {}), {});
  };
  EXPECT_EQ(of("no-scale").wrong_sums.off, 0);
  EXPECT_EQ(of("no-scale").first_different, StageId::scores);
  const WeightSums late = of("mask-after-softmax").wrong_sums;
  EXPECT_EQ(late.off, 8);  // of each head all rows but the last, from which nothing is hidden
  EXPECT_LT(late.lowest, 1);
  EXPECT_TRUE(late.highest <= 1 + 1e-5);
  const VariantEffect inverted = of("mask-inverted");
  EXPECT_EQ(inverted.wrong_sums.nan_rows, 2);  // the last query of each head sees nothing
  EXPECT_EQ(inverted.find(StageId::weights)->wrong_nan_rows, 2);
  EXPECT_EQ(inverted.find(StageId::output)->wrong_nan_rows, 1);
  EXPECT_GT(of("softmax-over-queries").wrong_sums.highest, 1);
}

TEST(VariantEffect, DifferencesCountNaNAndInfinity) {
  const float inf = INFINITY, nan = NAN;
  const Tensor right = tensor_of({2, 3}, {1, 2, -inf, 4, nan, 6});
  const StageDifference same = stage_difference(StageId::scores, right, right);
  EXPECT_TRUE(same.equal);
  EXPECT_EQ(same.right_nan_rows, 1);
  const StageDifference apart = stage_difference(StageId::scores, right, tensor_of({2, 3}, {1, 5, -inf, 4, nan, nan}));
  EXPECT_FALSE(apart.equal);
  EXPECT_EQ(apart.largest, 3);
  EXPECT_EQ(apart.cell, (Index{0, 1}));
  EXPECT_EQ(apart.wrong_nan_rows, 1);
  const StageDifference infinite = stage_difference(StageId::scores, right, tensor_of({2, 3}, {1, 2, 0, 4, nan, 6}));
  EXPECT_TRUE(std::isinf(infinite.largest));
  EXPECT_EQ(infinite.cell, (Index{0, 2}));
  EXPECT_FALSE(stage_difference(StageId::scores, right, tensor_of({3, 2}, {1, 2, 3, 4, 5, 6})).same_shape);
}

// Rows of the projection numbered by what they are: reading them the other way must show the same numbers.
TEST(BlockOrigin, SplitsAreWhatTheRowsSay) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    const std::int64_t heads = 4, head_dim = 3;
    Inputs inputs =
        fused_inputs(layout, {.batch = 1, .len = 2, .input_dim = 1, .heads = heads, .head_dim = head_dim, .seed = 5});
    std::vector<float> bias(static_cast<std::size_t>(3 * heads * head_dim));
    for (std::int64_t part = 0; part < 3; ++part) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t d = 0; d < head_dim; ++d) {
          const std::int64_t row = (layout == QkvLayout::blocked ? part * heads + h : h * 3 + part) * head_dim + d;
          bias[static_cast<std::size_t>(row)] = static_cast<float>(100 * part + h);
        }
      }
    }
    inputs.weights.qkv.weight = Tensor::zeros({3 * heads * head_dim, 1}, axes_of_rank(2));
    inputs.weights.qkv.bias = tensor_of({3 * heads * head_dim}, bias);
    const auto right = traced(phrase_request(), inputs);
    const char* name = layout == QkvLayout::blocked ? "qkv-blocked-as-per-head" : "qkv-per-head-as-blocked";
    const auto wrong = rerun(*right, {name}, make_reference_backend(), {});
    for (const auto& trace : {right, wrong}) {
      for (std::int64_t part = 0; part < 3; ++part) {
        const StageId stage = part == 0 ? StageId::query : part == 1 ? StageId::key : StageId::value;
        for (std::int64_t h = 0; h < heads; ++h) {
          const BlockOrigin from = block_origin(*trace, stage, part, h);
          ASSERT_TRUE(from.part);
          EXPECT_EQ(trace->tensor(stage).at({0, h, 1, 2}),
                    static_cast<float>(100 * static_cast<std::int64_t>(*from.part) + from.head));
        }
      }
    }
    EXPECT_EQ(compare_blocks(*right, *right, StageId::query).in_place, 12);
    EXPECT_LT(compare_blocks(*right, *wrong, StageId::query).in_place, 12);
  }
}

TEST(VariantRun, NamesAreSetAndRead) {
  EXPECT_EQ(variant_names().size(), 9U);
  const Request request = with_variants(phrase_request(), {"merge-direct", "no-scale"});
  EXPECT_EQ(variants_of(request), (std::vector<std::string>{"merge-direct", "no-scale"}));
  EXPECT_EQ(variants_of(with_variants(request, {})), std::vector<std::string>{});
  EXPECT_EQ(with_variants(request, {}), phrase_request());
}

TEST(VariantRun, WhatCannotRunSaysWhy) {
  const auto blocked = traced(phrase_request(), fused_inputs(QkvLayout::blocked));
  const auto title = [&](std::vector<std::string> names) {
    const auto problem = variant_problem(*blocked, names);
    return problem ? problem->title : std::string();
  };
  EXPECT_EQ(title({"merge-direct"}), "");
  EXPECT_NE(title({"mask-inverted"}).find("no mask"), std::string::npos);
  EXPECT_NE(title({"key-not-transposed"}).find("as many keys"), std::string::npos);
  EXPECT_NE(title({"qkv-per-head-as-blocked"}).find("per-head rows"), std::string::npos);
  EXPECT_NE(title({"no-scale", "scale-by-d-model"}).find("exclude"), std::string::npos);
}

TEST(VariantText, EveryVariantHasASentenceAndALineOfCode) {
  const auto trace =
      traced(phrase_request(),
             fused_inputs(QkvLayout::per_head, {.batch = 1, .len = 5, .input_dim = 7, .heads = 2, .head_dim = 3}));
  for (const std::string_view name : variant_names()) {
    EXPECT_TRUE(variant_sentence(name, *trace).ends_with("."));
    const auto code = variant_code(name, *trace);
    EXPECT_TRUE(std::any_of(code.begin(), code.end(), [](const CodeLine& line) {
      return line.kind == CodeLine::Kind::missing || line.kind == CodeLine::Kind::wrong;
    })) << name;
  }
  EXPECT_EQ(variant_sentence("scale-by-d-model", *trace), "Scores are divided by √6, not by √3.");
  EXPECT_EQ(variant_code("no-scale", *trace).back().text, "/ math.sqrt(3)");
  EXPECT_EQ(variant_code("merge-direct", *trace).back().text, ".reshape(1, 5, 6)");
}

}  // namespace
}  // namespace headscope

// Costs of made layers against loops that count, and against the sizes of their tensors.
#include "core/cost/layer_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/model/head_rule.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/cost/plain_cost.h"

namespace headscope {
namespace {

using S = StageId;

const StageCost& cost_of(const LayerCost& cost, StageId stage) {
  const StageCost* found = cost.find(stage);
  EXPECT_NE(found, nullptr) << stage_name(stage);
  static const StageCost none;
  return found == nullptr ? none : *found;
}

Request grouped() {
  Request request;
  request.phrase = "one two three four five six";
  request.d_model = 16;
  request.heads = 4;
  request.kv_heads = 2;
  request.batch = 2;
  request.embedding = Embedding::sequence;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

TEST(LayerCost, IsWhatLoopsCount) {
  const auto trace = computed(grouped());
  const LayerCost cost = layer_cost(*trace);
  const int batch = 2, heads = 4, kv_heads = 2, queries = 6, keys = 6, head_dim = 4;
  ASSERT_EQ(trace->inputs->num_kv_heads, kv_heads);
  double scores = 0, read_query = 0, read_key = 0, written = 0, output = 0;
  for (int b = 0; b < batch; ++b) {
    for (int h = 0; h < heads; ++h) {
      for (int i = 0; i < queries; ++i) {
        for (int d = 0; d < head_dim; ++d) read_query += 4;
        for (int j = 0; j < keys; ++j) {
          written += 4;
          for (int d = 0; d < head_dim; ++d) scores += 1;
        }
      }
    }
    for (int g = 0; g < kv_heads; ++g) {
      for (int j = 0; j < keys; ++j) {
        for (int d = 0; d < head_dim; ++d) read_key += 4;
      }
    }
    for (int i = 0; i < queries; ++i) {
      for (int o = 0; o < 16; ++o) {
        for (int c = 0; c < heads * head_dim; ++c) output += 1;
      }
    }
  }
  const CostAmounts& raw = cost_of(cost, S::raw_scores).now;
  EXPECT_EQ(raw.multiply_adds, scores);
  EXPECT_EQ(raw.read, read_query + read_key) << "a key is read once for all heads of its group";
  EXPECT_EQ(raw.written, written);
  EXPECT_EQ(raw.intensity(), 2 * scores / (read_query + read_key + written));
  EXPECT_EQ(cost_of(cost, S::context).now.multiply_adds, scores);
  EXPECT_EQ(cost_of(cost, S::output).now.multiply_adds, output);
  EXPECT_EQ(cost_of(cost, S::key).now.cached, read_key);
  EXPECT_EQ(cost.now.cached, 2 * read_key) << "keys and values";
  EXPECT_EQ(cost_of(cost, S::masked_scores).now.multiply_adds, 0);
  EXPECT_EQ(cost_of(cost, S::weights).now.others, 5 * written / 4);
  ASSERT_TRUE(cost.visible.has_value());
  EXPECT_DOUBLE_EQ(*cost.visible, 21.0 / 36);
}

TEST(LayerCost, AddsUpToTheLayer) {
  for (Request request : {grouped(), phrase_request()}) {
    request.softcap = 20;
    const LayerCost cost = layer_cost(*computed(request));
    CostAmounts sum;
    for (const StageCost& stage : cost.stages) {
      sum.multiply_adds += stage.now.multiply_adds;
      sum.others += stage.now.others;
      sum.read += stage.now.read;
      sum.written += stage.now.written;
      sum.cached += stage.now.cached;
      sum.scores_read += stage.now.scores_read;
      sum.scores_written += stage.now.scores_written;
    }
    EXPECT_EQ(cost.now.multiply_adds, sum.multiply_adds);
    EXPECT_EQ(cost.now.others, sum.others);
    EXPECT_EQ(cost.now.read, sum.read);
    EXPECT_EQ(cost.now.written, sum.written);
    EXPECT_EQ(cost.now.cached, sum.cached);
    const CostAmounts pass = in_one_pass(cost.now);
    EXPECT_EQ(pass.read, sum.read - sum.scores_read);
    EXPECT_EQ(pass.written, sum.written - sum.scores_written);
    EXPECT_EQ(sum.scores_read, sum.scores_written) << "each is written once and read by the next";
  }
}

TEST(LayerCost, GrowsFourfoldInScoresAndTwofoldInProjections) {
  const LayerCost cost = layer_cost(*computed(grouped()));
  for (const StageId stage : {S::raw_scores, S::scores, S::weights, S::context}) {
    const StageCost& of = cost_of(cost, stage);
    EXPECT_EQ(of.twice.operations(), 4 * of.now.operations()) << stage_name(stage);
  }
  for (const StageId stage : {S::output, S::key}) {
    const StageCost& of = cost_of(cost, stage);
    EXPECT_EQ(of.twice.multiply_adds, 2 * of.now.multiply_adds) << stage_name(stage);
    EXPECT_EQ(of.twice.cached, 2 * of.now.cached) << stage_name(stage);
  }
  EXPECT_EQ(cost_of(cost, S::raw_scores).twice.written, 4 * cost_of(cost, S::raw_scores).now.written);
}

TEST(LayerCost, OfFusedProjectionsIsInOneProduct) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    const auto trace = traced(phrase_request(), fused_inputs(layout));
    const LayerCost cost = layer_cost(*trace);
    const double rows = 3 * 6, all = 2 * 5 * 7 * rows;
    EXPECT_EQ(cost_of(cost, S::qkv).now.multiply_adds, all);
    EXPECT_EQ(cost_of(cost, S::qkv).now.read, 4 * (2 * 5 * 7 + rows * 7 + rows)) << "input, weights, biases";
    EXPECT_EQ(cost_of(cost, S::qkv).now.written, 4 * 2 * 5 * rows);
    EXPECT_FALSE(cost_of(cost, S::query).now.any()) << "a view";
    EXPECT_EQ(cost_of(cost, S::key).now.bytes(), 0);
    EXPECT_EQ(cost.now.cached, 4 * 2 * (2 * 5 * 6));
    EXPECT_EQ(cost.now.multiply_adds, all + 2 * (2 * 2 * 5 * 5 * 3) + 2 * 5 * 6 * 6);
  }
}

TEST(LayerCost, OfCrossAttentionCountsTokensOfTheOtherText) {
  Request request = grouped();
  request.kv_heads = 4;
  request.batch = 1;
  request.key_phrase = "uno dos tres";
  const auto trace = computed(request);
  const LayerCost cost = layer_cost(*trace);
  ASSERT_EQ(trace->key_len(), 3);
  for (const Stage& stage : trace->stages) {
    EXPECT_EQ(cost_of(cost, stage.id).now.multiply_adds, plain_multiply_adds(*trace, stage.id)) << stage_name(stage.id);
  }
  EXPECT_EQ(cost.now.cached, 4 * (size_of(*trace, S::key) + size_of(*trace, S::value)));
}

TEST(LayerCost, OfAPastMeetsItAndKeepsIt) {
  MadeSizes sizes;
  sizes.batch = 2;
  sizes.query_len = 2;
  sizes.key_len = 7;
  sizes.heads = 4;
  Inputs inputs = alone_inputs(sizes);
  // As load_inputs() joins them.
  const Tensor past_key = inputs.key.sliced(2, 0, 5), past_value = inputs.value.sliced(2, 0, 5);
  const auto rule = std::make_shared<HeadRule>();
  rule->past = std::make_shared<const Past>(Past{past_key, past_value, "k.npy", "v.npy"});
  inputs.head_rule = rule;
  Request request = alone_request();
  request.key_past = "k.npy";
  request.value_past = "v.npy";
  const auto trace = traced(request, std::move(inputs));
  const LayerCost cost = layer_cost(*trace);
  const double keys = 2 * 2 * 7 * 3;
  EXPECT_EQ(size_of(*trace, S::key), keys);
  EXPECT_EQ(cost_of(cost, S::key).now.cached, 4 * keys);
  EXPECT_EQ(cost_of(cost, S::key).now.bytes(), 0) << "given";
  EXPECT_EQ(cost_of(cost, S::raw_scores).now.multiply_adds, 2 * 4 * 2 * 7 * 3);
  EXPECT_EQ(cost_of(cost, S::raw_scores).twice.multiply_adds, 2 * 4 * 2 * 14 * 3) << "the past grows, not the queries";
  EXPECT_EQ(cost_of(cost, S::key).twice.cached, 2 * 4 * keys);
}

TEST(LayerCost, OfOneMoreKeyReadsItAndDoesNotKeepIt) {
  Inputs inputs = fused_inputs(QkvLayout::blocked);
  inputs.weights.bias_k = random_tensor({6}, 5);
  inputs.weights.bias_v = random_tensor({6}, 6);
  const auto trace = traced(phrase_request(), std::move(inputs));
  const LayerCost cost = layer_cost(*trace);
  ASSERT_EQ(trace->key_len(), 6);
  EXPECT_EQ(cost_of(cost, S::raw_scores).now.multiply_adds, 2 * 2 * 5 * 6 * 3);
  EXPECT_EQ(cost_of(cost, S::key).now.written, 4 * size_of(*trace, S::key));
  EXPECT_EQ(cost.now.cached, 4 * 2 * (2 * 5 * 6));
  EXPECT_EQ(cost_of(cost, S::raw_scores).twice.multiply_adds, 2 * 2 * 10 * 11 * 3) << "it stays one";
}

TEST(LayerCost, OfWhatIsNotDoneIsNothing) {
  Request request = grouped();
  request.mask.clear();
  request.scale = 1;
  const auto trace = computed(request);
  const LayerCost cost = layer_cost(*trace);
  for (const StageId stage : {S::scores, S::masked_scores}) {
    EXPECT_TRUE(trace->find(stage)->equals_previous) << stage_name(stage);
    EXPECT_FALSE(cost_of(cost, stage).now.any()) << stage_name(stage);
  }
  EXPECT_TRUE(cost_of(cost, S::concat).now.any());
  request.merge = Merge::direct;
  EXPECT_FALSE(cost_of(layer_cost(*computed(request)), S::concat).now.any()) << "the same memory, read otherwise";
}

TEST(LayerCost, CountsWhatIsAddedWhereItIsAdded) {
  Request request = grouped();
  find_request_option("mask")->set(request, "causal,alibi");
  const double cells = 2 * 4 * 6 * 6, matrices = 4;
  const LayerCost with_mask = layer_cost(*computed(request));
  EXPECT_EQ(cost_of(with_mask, S::masked_scores).now.others, cells);
  EXPECT_EQ(cost_of(with_mask, S::masked_scores).now.read, 4 * (cells + matrices * 36));
  request.mask_order = MaskOrder::before_scale;
  const LayerCost before = layer_cost(*computed(request));
  EXPECT_EQ(cost_of(before, S::scores).now.others, 2 * cells) << "added, and scaled";
  EXPECT_FALSE(cost_of(before, S::masked_scores).now.any());
}

TEST(LayerCost, IsNotOfStagesThatOtherCodeComputed) {
  EXPECT_EQ(no_cost_sentence(*computed(grouped())), "");
  EXPECT_NE(no_cost_sentence(Trace()), "");
}

}  // namespace
}  // namespace headscope

// Scores, weights and context of the GPU backend in one pass, by every rule, against the reference.
#include <cmath>
#include <limits>

#include "core/backend/score_rule.h"
#include "core/request/request_text.h"
#include "tests/app/gl/compute_fixture.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr float kComputeAttentionInfinity = std::numeric_limits<float>::infinity();
constexpr float kAttentionNan = std::numeric_limits<float>::quiet_NaN();

struct Operands {
  Tensor query, key, value;
  ScoreOperands with(const ScoreRule& rule) const { return {.query = query, .key = key, .rule = rule}; }
};

struct OperandSizes {
  std::int64_t batch, heads, kv_heads, query_len, key_len, head_dim, value_head_dim;
};

Operands operands(const OperandSizes& of) {
  return {random_tensor({of.batch, of.heads, of.query_len, of.head_dim}, 1),
          random_tensor({of.batch, of.kv_heads, of.key_len, of.head_dim}, 2),
          random_tensor({of.batch, of.kv_heads, of.key_len, of.value_head_dim}, 3)};
}

struct NamedRule {
  std::string name;
  ScoreRule rule;
};

ScoreRule rule_with_mask(const Operands& of, const std::string& mask, double scale = 3) {
  Request request;
  find_request_option("mask")->set(request, mask);
  ScoreRule rule;
  rule.scale = scale;
  rule.mask = std::make_shared<const Mask>(build_mask(
      request, {},
      {.batch = of.query.dim(0), .heads = of.query.dim(1), .query_len = of.query.dim(2), .key_len = of.key.dim(2)}));
  return rule;
}

// Hidden cells as a file gives them, another pattern for every batch and head when `apart`; added values when `adds`.
ScoreRule rule_of_file(const Operands& of, bool apart, bool adds) {
  const std::int64_t batch = apart ? of.query.dim(0) : 1, heads = apart ? of.query.dim(1) : 1;
  const std::int64_t queries = of.query.dim(2), keys = of.key.dim(2);
  Mask mask{HiddenCells(batch, heads, queries, keys), {}};
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < queries; ++i) {
        for (std::int64_t j = 0; j < keys; ++j) {
          if ((i * 5 + j * 3 + b + 2 * h) % 4 == 0) mask.hidden.mutable_row(b, h, i)[j] = 1;
        }
        // One row that sees nothing.
        if (i == queries / 2) std::fill_n(mask.hidden.mutable_row(b, h, i), keys, std::uint8_t{1});
      }
    }
  }
  mask.hidden.refresh_any();
  if (adds) mask.added = random_tensor({batch, heads, queries, keys}, 9);
  ScoreRule rule;
  rule.scale = 0.7;
  rule.mask = std::make_shared<const Mask>(std::move(mask));
  return rule;
}

std::vector<NamedRule> all_rules(const Operands& of) {
  std::vector<NamedRule> rules;
  for (const char* mask :
       {"none", "causal", "window:2", "padding:1", "prefix:2", "causal,window:3,padding:1", "alibi", "causal,alibi"}) {
    rules.push_back({mask, rule_with_mask(of, mask)});
  }
  for (const bool apart : {false, true}) {
    for (const bool adds : {false, true}) {
      const std::string name = std::string(apart ? "file of every head" : "file") + (adds ? ", added values" : "");
      rules.push_back({name, rule_of_file(of, apart, adds)});
      ScoreRule rule = rule_of_file(of, apart, adds);
      rule.mask_order = MaskOrder::before_scale;
      rule.mask_fill = -1e20;
      rules.push_back({name + ", before-scale -1e20", rule});
      rule.mask_fill = -kComputeAttentionInfinity;
      rule.fully_masked = FullyMasked::uniform;
      rules.push_back({name + ", before-scale -inf uniform", rule});
      rule = rule_of_file(of, apart, adds);
      rule.mask_after_softmax = true;
      rules.push_back({name + ", mask after softmax", rule});
      rule.fully_masked = FullyMasked::zero;
      rules.push_back({name + ", mask after softmax, zero", rule});
    }
  }
  ScoreRule rule = rule_with_mask(of, "causal", 20);
  rule.softcap = 1.5;
  rules.push_back({"softcap", rule});
  ScoreRule capped_last = rule_with_mask(of, "alibi,causal", 20);
  capped_last.softcap = 1.5;
  capped_last.softcap_order = SoftcapOrder::after_mask;
  rules.push_back({"softcap after the mask", capped_last});
  rule.softcap = 50;
  rules.push_back({"wide softcap", rule});
  rule.dropout = 0.25;
  rules.push_back({"dropout", rule});
  rule.dropout_mask = tensor_of({of.key.dim(2)}, [&] {
    std::vector<float> kept(static_cast<std::size_t>(of.key.dim(2)), 1.0F);
    kept[0] = 0;
    return kept;
  }());
  rules.push_back({"dropout from a file", rule});
  rule = rule_with_mask(of, "padding:" + std::to_string(of.key.dim(2)));
  rules.push_back({"nothing visible", rule});
  rule.fully_masked = FullyMasked::zero;
  rules.push_back({"nothing visible, zero", rule});
  return rules;
}

struct Pass {
  AttentionResults to;
  Region rows;
};

Pass pass_of(const Backend& backend, const Operands& of, const ScoreRule& rule, const QueryRange& part) {
  const Shape rows{part.batch.size(), part.heads.size(), part.queries.size()};
  const Shape scores{rows[0], rows[1], rows[2], of.key.dim(2)}, context{rows[0], rows[1], rows[2], of.value.dim(3)};
  const Axes row_axes{Axis::batch, Axis::head, Axis::query}, axes{Axis::batch, Axis::head, Axis::query, Axis::key};
  Pass pass;
  pass.to.weights = Tensor::zeros(scores, axes);
  if (rule.drops()) pass.to.dropped = Tensor::zeros(scores, axes);
  pass.to.statistics = {Tensor::zeros(rows, row_axes), Tensor::zeros(rows, row_axes)};
  pass.to.context = Tensor::zeros(context, {Axis::batch, Axis::head, Axis::position, Axis::feature});
  backend.attention(of.with(rule), of.value, part, pass.to, CancelToken());
  return pass;
}

QueryRange all_queries(const Operands& of) {
  return {{0, of.query.dim(0)}, {0, of.query.dim(1)}, {0, of.query.dim(2)}};
}

class ComputeAttentionGlTest : public ComputeTest {
 protected:
  void expect_same_pass(const Operands& of, const NamedRule& named, const QueryRange& part) const {
    const Pass actual = pass_of(gpu(), of, named.rule, part), expected = pass_of(*reference_, of, named.rule, part);
    expect_near(actual.to.weights, expected.to.weights, 1e-30, named.name + ", weights");
    if (named.rule.drops()) expect_near(actual.to.dropped, expected.to.dropped, 1e-30, named.name + ", dropped");
    expect_near(actual.to.statistics.max, expected.to.statistics.max, 0.1, named.name + ", max");
    expect_near(actual.to.statistics.sum, expected.to.statistics.sum, 0.1, named.name + ", sum");
    // A mean of values: their size counts, also where they cancel.
    expect_near(actual.to.context, expected.to.context, size_of_sum(1), named.name + ", context");
  }
};

TEST_F(ComputeAttentionGlTest, EveryRuleOnOddSizesAndGroupedHeads) {
  for (const Operands& of :
       {operands({2, 4, 2, 5, 7, 3, 5}), operands({1, 3, 1, 17, 17, 8, 2}), operands({2, 2, 2, 1, 1, 1, 1})}) {
    for (const NamedRule& named : all_rules(of)) expect_same_pass(of, named, all_queries(of));
  }
}

TEST_F(ComputeAttentionGlTest, SizesOfSeveralTiles) {
  for (const std::int64_t len : {63, 65, 127}) {
    const Operands of = operands({1, 2, 1, len, len + 2, 65, 64});
    for (const NamedRule& named :
         {NamedRule{"causal", rule_with_mask(of, "causal", 0.125)}, NamedRule{"file", rule_of_file(of, true, true)}}) {
      expect_same_pass(of, named, all_queries(of));
    }
  }
}

TEST_F(ComputeAttentionGlTest, SomeQueriesOfSomeHeads) {
  const Operands of = operands({3, 4, 2, 33, 35, 6, 5});
  const QueryRange part{{1, 3}, {1, 4}, {7, 30}};
  for (const NamedRule& named : all_rules(of)) expect_same_pass(of, named, part);
}

TEST_F(ComputeAttentionGlTest, HiddenCellsAreExactZeros) {
  const Operands of = operands({1, 2, 2, 40, 40, 8, 8});
  const ScoreRule rule = rule_with_mask(of, "causal", 0.4);
  const Tensor weights = pass_of(gpu(), of, rule, all_queries(of)).to.weights;
  for (std::int64_t i = 0; i < 40; ++i) {
    for (std::int64_t j = 0; j < 40; ++j) {
      const float weight = weights.at({0, 1, i, j});
      EXPECT_TRUE(j <= i ? weight > 0 : weight == 0.0F) << i << " " << j << " " << weight;
    }
  }
}

// Bit for bit what a run without them gives.
TEST_F(ComputeAttentionGlTest, NanAndInfinityInHiddenKeysAndValuesChangeNothing) {
  const Operands of = operands({1, 2, 1, 9, 70, 5, 6});
  Operands spoilt = {of.query, of.key.dense_copy(), of.value.dense_copy()};
  for (std::int64_t j = 50; j < 70; ++j) {
    spoilt.key.mutable_data()[j * 5 + j % 5] = j % 2 == 0 ? kAttentionNan : kComputeAttentionInfinity;
    spoilt.value.mutable_data()[j * 6 + j % 6] = j % 3 == 0 ? -kComputeAttentionInfinity : kAttentionNan;
  }
  const ScoreRule rule = rule_with_mask(of, "padding:20");
  const Pass clean = pass_of(gpu(), of, rule, all_queries(of)), dirty = pass_of(gpu(), spoilt, rule, all_queries(of));
  EXPECT_EQ(clean.to.weights.values(), dirty.to.weights.values());
  EXPECT_EQ(clean.to.statistics.sum.values(), dirty.to.statistics.sum.values());
  EXPECT_EQ(clean.to.context.values(), dirty.to.context.values());
}

TEST_F(ComputeAttentionGlTest, NanInAVisibleKeyOrValueIsSeenWhereTheReferenceSeesIt) {
  Operands of = operands({1, 2, 2, 12, 12, 5, 6});
  of.key.mutable_data()[4 * 5] = kAttentionNan;
  of.value.mutable_data()[7 * 6 + 2] = kAttentionNan;
  of.value.mutable_data()[12 * 6 + 9 * 6 + 1] = kComputeAttentionInfinity;
  for (const NamedRule& named : all_rules(of)) expect_same_pass(of, named, all_queries(of));
}

// Blocks of queries are computed with the keys that they see; beside them is what the reference has there.
TEST_F(ComputeAttentionGlTest, BlocksOfQueriesThatSeeOtherKeys) {
  Operands of = operands({1, 2, 1, 700, 700, 5, 6});
  of.query.mutable_data()[300 * 5 + 1] = kAttentionNan;              // a row of NaN in the first head
  of.value.mutable_data()[650 * 6 + 2] = kComputeAttentionInfinity;  // hidden from most
  std::vector<NamedRule> rules{{"causal", rule_with_mask(of, "causal", 0.4)},
                               {"window", rule_with_mask(of, "causal,window:9", 0.4)},
                               {"both sides", rule_with_mask(of, "window:150", 0.4)},
                               {"padded", rule_with_mask(of, "causal,padding:690", 0.4)}};
  rules.push_back({"dropout", rules.front().rule});
  rules.back().rule.dropout = 0.25;
  for (const NamedRule& named : rules) {
    expect_same_pass(of, named, all_queries(of));
    expect_same_pass(of, named, {{0, 1}, {1, 2}, {123, 689}});
  }
}

TEST_F(ComputeAttentionGlTest, SmallBuffersGiveTheSameBits) {
  GpuOptions options;
  options.numbers_per_buffer = 300;
  const auto small = make_gpu_backend(options);
  const Operands of = operands({2, 4, 2, 33, 35, 6, 5});
  for (const NamedRule& named : all_rules(of)) {
    const Pass a = pass_of(*small, of, named.rule, all_queries(of)),
               b = pass_of(gpu(), of, named.rule, all_queries(of));
    EXPECT_TRUE(same_bits(a.to.weights, b.to.weights)) << named.name;
    EXPECT_TRUE(same_bits(a.to.context, b.to.context)) << named.name;
    EXPECT_TRUE(same_bits(a.to.statistics.max, b.to.statistics.max)) << named.name;
    EXPECT_TRUE(same_bits(a.to.statistics.sum, b.to.statistics.sum)) << named.name;
  }
}

TEST_F(ComputeAttentionGlTest, CellsReadHaveTheBitsOfThePass) {
  const Operands of = operands({2, 4, 2, 33, 35, 6, 5});
  const Region region{{1, 2}, {1, 4}, {7, 30}, {3, 32}};
  const auto of_region = [&](const Tensor& tensor) {
    std::vector<float> cells(static_cast<std::size_t>(element_count(region)));
    tensor.read(region, cells);
    return tensor_of({static_cast<std::int64_t>(cells.size())}, cells);
  };
  for (const NamedRule& named : all_rules(of)) {
    const Pass pass = pass_of(gpu(), of, named.rule, all_queries(of));
    const RowStatistics rows = {pass.to.statistics.max.sliced(0, 1, 2).sliced(1, 1, 4).sliced(2, 7, 30),
                                pass.to.statistics.sum.sliced(0, 1, 2).sliced(1, 1, 4).sliced(2, 7, 30)};
    for (const RowStatistics* statistics : {static_cast<const RowStatistics*>(nullptr), &rows}) {
      std::vector<float> cells(static_cast<std::size_t>(element_count(region)));
      const auto read = [&](StageId stage) {
        gpu().read_scores(of.with(named.rule), {.stage = stage, .region = region, .statistics = statistics}, cells,
                          cancel_);
        return tensor_of({static_cast<std::int64_t>(cells.size())}, cells);
      };
      EXPECT_TRUE(same_bits(read(StageId::weights), of_region(pass.to.weights))) << named.name;
      if (named.rule.drops()) {
        EXPECT_TRUE(same_bits(read(StageId::dropped_weights), of_region(pass.to.dropped))) << named.name;
      }
    }
  }
}

TEST_F(ComputeAttentionGlTest, StagesBeforeTheWeightsAreThoseOfTheReference) {
  const Operands of = operands({2, 4, 2, 9, 11, 6, 5});
  const Region region{{0, 2}, {1, 4}, {2, 9}, {3, 10}};
  for (const NamedRule& named : all_rules(of)) {
    for (const StageId stage : {StageId::raw_scores, StageId::scores, StageId::capped_scores, StageId::masked_scores}) {
      std::vector<float> actual(static_cast<std::size_t>(element_count(region))), expected = actual;
      gpu().read_scores(of.with(named.rule), {.stage = stage, .region = region}, actual, cancel_);
      reference_->read_scores(of.with(named.rule), {.stage = stage, .region = region}, expected, cancel_);
      const auto count = static_cast<std::int64_t>(actual.size());
      expect_near(tensor_of({count}, actual), tensor_of({count}, expected), 1,
                  named.name + ", " + std::string(stage_name(stage)));
    }
  }
}

TEST_F(ComputeAttentionGlTest, ResultsGoToRowsThatLieApart) {
  const Operands of = operands({1, 2, 2, 5, 7, 3, 4});
  const ScoreRule rule = rule_with_mask(of, "causal");
  const Pass dense = pass_of(gpu(), of, rule, all_queries(of));
  Tensor room = Tensor::zeros({1, 2, 8, 9}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  AttentionResults to;
  to.weights = room.writable_sliced(2, 2, 7).writable_sliced(3, 1, 8);
  gpu().attention(of.with(rule), of.value, all_queries(of), to, cancel_);
  EXPECT_TRUE(same_bits(to.weights.dense_copy(), dense.to.weights));
  EXPECT_EQ(room.at({0, 0, 1, 1}), 0.0F);
  EXPECT_EQ(room.at({0, 1, 7, 8}), 0.0F);
}

}  // namespace
}  // namespace headscope

// The explanation of every cell of every stage, over requests that together take every road through the engine.
#include "core/explain/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "core/attention/engine.h"
#include "core/explain/weight_cells.h"
#include "core/model/head_rule.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

void visit_cells(const Shape& shape, const std::function<void(const Index&)>& visit) {
  Index at;
  for (int axis = 0; axis < shape.count; ++axis) at.push_back(0);
  for (std::int64_t k = 0; k < element_count(shape); ++k) {
    visit(at);
    for (int axis = shape.count - 1; axis >= 0; --axis) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

// 0 when equal, both NaN included; infinite when only one is finite.
double relative_error(double found, double wanted, double magnitude) {
  if (found == wanted || (std::isnan(found) && std::isnan(wanted))) return 0;
  const double error = std::abs(found - wanted) / std::max(magnitude, std::abs(wanted));
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

// The tensor that an operand names, at its index.
double operand_value(const Trace& trace, const CellOrigin& origin, const Operand& operand) {
  for (const CellSource& source : origin.sources) {
    if (source.name == operand.stage) return static_cast<double>(source.tensor.at(operand.index));
  }
  const auto stage = stage_named(operand.stage);
  return stage ? static_cast<double>(trace.tensor(*stage).at(operand.index)) : std::nan("");
}

// How many cells all tests of this program have walked; said at its end.
std::int64_t& walked() {
  static std::int64_t count = 0;
  return count;
}
class SaysHowMany : public ::testing::Environment {
 public:
  void TearDown() override {
    if (walked() > 0) std::printf("explain: %lld cells walked\n", static_cast<long long>(walked()));
  }
};
const ::testing::Environment* const kSaysHowMany = ::testing::AddGlobalTestEnvironment(new SaysHowMany);

// Every cell: the steps land on the stored value, and operands hold what their places hold. Returns how many.
std::int64_t check_every_cell(const Trace& trace, const std::string& what) {
  std::int64_t cells = 0;
  for (const Stage& stage : trace.stages) {
    double worst = 0;
    visit_cells(stage.tensor.shape(), [&](const Index& index) {
      const Explanation why = explain(trace, stage.id, index);
      ASSERT_FALSE(why.steps.empty());
      worst = std::max(worst, relative_error(why.steps.back().value, why.value, why.magnitude));
      const CellOrigin origin = origin_of(trace, stage.id, index);
      double added = 0;
      for (const Operand& operand : why.operands) {
        if (operand.role == SourceRole::mask) {
          added += operand.value;
          continue;
        }
        const double value = operand_value(trace, origin, operand);
        ASSERT_TRUE(operand.value == value || (std::isnan(operand.value) && std::isnan(value)))
            << what << " " << cell_name(stage_name(stage.id), index) << " " << cell_name(operand.stage, operand.index);
      }
      if (added != 0) {
        ASSERT_NEAR(added, added_by_mask(trace, index), 1e-5) << what;
      }
      ++cells;
    });
    EXPECT_LE(worst, 1e-5) << what << " " << stage_name(stage.id);
  }
  walked() += cells;
  return cells;
}

Request explain_options(Request request, const std::vector<std::pair<const char*, const char*>>& given) {
  for (const auto& [option, value] : given) find_request_option(option)->set(request, value);
  return request;
}

TEST(Explain, LandsOnEveryCellOfAttentionAloneUnderEveryOption) {
  const std::vector<std::vector<std::pair<const char*, const char*>>> requests = {
      {},
      {{"mask", "causal"}, {"scale", "-0.4"}},
      {{"mask", "causal,padding:1"}, {"mask-fill", "-1e20"}, {"mask-order", "before-scale"}},
      {{"mask", "causal"}, {"mask-order", "before-scale"}},
      {{"mask", "window:1"}, {"softcap", "0.3"}, {"scale", "1"}},
      {{"mask", "alibi,causal"}, {"softcap", "0.3"}, {"softcap-order", "after-mask"}, {"past", "1"}},
      {{"mask", "padding:4"}, {"fully-masked", "zero"}},
      {{"mask", "padding:4"}, {"fully-masked", "uniform"}, {"dropout", "0.5"}},
      {{"mask", "padding:4"}},
      {{"dropout", "0.4"}, {"dropout-seed", "7"}, {"mask", "causal"}},
      {{"dropout", "1"}},
      {{"variant", "softmax-over-queries"}, {"mask", "causal"}},
      {{"variant", "no-scale"}, {"merge", "direct"}},
      {{"variant", "scale-by-d-model"}, {"ablate", "0.1"}},
      {{"variant", "mask-inverted"}, {"mask", "causal"}},
      {{"variant", "mask-after-softmax"}, {"mask", "causal"}, {"fully-masked", "zero"}},
  };
  std::int64_t cells = 0;
  for (const auto& given : requests) {
    const std::string what = given.empty() ? "plain" : given[0].first + std::string(" ") + given[0].second;
    const Request request = explain_options(alone_request(), given);
    cells += check_every_cell(*traced(request, alone_inputs({2, 3, 4, 4, 2, 5, 3})), what);
    cells += check_every_cell(*traced(request, alone_inputs({1, 4, 4, 2, 2, 3, 3}), make_cpu_backend(1)), what);
  }
  EXPECT_GT(cells, 5000);
}

TEST(Explain, ReadsTheKeyMatrixAsItLiesWhenItIsNotTransposed) {
  const Request request = explain_options(alone_request(), {{"variant", "key-not-transposed"}});
  check_every_cell(*traced(request, alone_inputs({1, 3, 4, 2, 2, 4, 2})), "key-not-transposed");
}

TEST(Explain, FollowsFusedProjectionsInBothLayoutsAndReadTheOtherWay) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    check_every_cell(*traced(phrase_request(), fused_inputs(layout)), "fused");
    const char* other = layout == QkvLayout::blocked ? "qkv-blocked-as-per-head" : "qkv-per-head-as-blocked";
    check_every_cell(*traced(explain_options(phrase_request(), {{"variant", other}}), fused_inputs(layout)), other);
    Inputs cross = fused_inputs(layout);
    cross.key_x = random_tensor({2, 3, 7}, 77);
    cross.value_x = random_tensor({2, 3, 7}, 78);
    cross.key_len = 3;
    cross.key_tokens = numbered_tokens("k", 3);
    Request request = phrase_request();
    request.key_phrase = "x y z";
    check_every_cell(*traced(request, cross), "cross-attention");
  }
}

Inputs separate_inputs(std::int64_t kv_heads) {
  Inputs inputs = sized_inputs({2, 4, 4, 4, kv_heads, 6, 6});
  inputs.key_tokens = inputs.tokens;
  inputs.input_dim = 5;
  inputs.d_model = 24;
  inputs.x = random_tensor({2, 4, 5}, 3);
  inputs.weights.query = random_linear(5, 24, 11);
  inputs.weights.key = random_linear(5, 6 * kv_heads, 12);
  inputs.weights.value = random_linear(5, 6 * kv_heads, 13, false);
  inputs.weights.output = random_linear(24, 24, 14);
  return inputs;
}

TEST(Explain, FollowsGroupedHeadsExtraKeysAndTransposedFiles) {
  check_every_cell(*traced(phrase_request(), separate_inputs(2)), "grouped");
  Inputs extra = separate_inputs(4);
  extra.weights.bias_k = random_tensor({24}, 21);
  extra.weights.bias_v = random_tensor({24}, 22);
  check_every_cell(*traced(explain_options(phrase_request(), {{"mask", "causal"}}), extra), "bias_k");
  Inputs transposed = separate_inputs(4);
  transposed.weights.query.weight = random_tensor({5, 24}, 31).permuted({1, 0});
  transposed.weights.query.weight_name = "Wq";
  const auto trace = traced(phrase_request(), transposed);
  check_every_cell(*trace, "x W");
  const Explanation why = explain(*trace, StageId::query_proj, {1, 2, 7});
  EXPECT_EQ(why.operands[1].stage, "Wq");
  EXPECT_EQ(why.operands[1].index, (Index{0, 7})) << "the file's own axes: [in, out]";
  EXPECT_EQ(why.formula, "query_proj[b,i,o] = Σ_d input[b,i,d] · Wq[d,o] + queries.bias[o]");
}

TEST(Explain, TurnsHeadsAsTheModelDoes) {
  for (const auto pairs : {RotaryRule::Pairs::halves, RotaryRule::Pairs::neighbours}) {
    for (const bool norm : {false, true}) {
      RotaryRule turns{.features = 4, .pairs = pairs, .inverse_frequencies = {1.0, 0.25}, .factor = 1.5};
      const auto rule = std::make_shared<HeadRule>();
      rule->rotary = std::make_shared<const RotaryTable>(turns);
      if (norm) {
        rule->query_norm = random_tensor({6}, 41);
        rule->key_norm = random_tensor({6}, 42);
        rule->norm_eps = 1e-6;
        rule->norm_plus_one = pairs == RotaryRule::Pairs::neighbours;
      }
      Inputs inputs = separate_inputs(2);
      inputs.head_rule = rule;
      inputs.own_mask = {{MaskTerm::Kind::causal, 0, ""}};
      check_every_cell(*traced(phrase_request(), inputs), norm ? "RMSNorm, RoPE" : "RoPE");
    }
  }
}

TEST(Explain, FollowsAWrongMergeIntoTheOutput) {
  Request request = explain_options(phrase_request(), {{"merge", "direct"}, {"mask", "causal"}, {"dropout", "0.2"}});
  EXPECT_GT(check_every_cell(*traced(request, fused_inputs(QkvLayout::per_head)), "direct merge"), 500);
}

TEST(Explain, LandsOnEveryCellOfLayersOfModels) {
  const std::string folder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";
  // Rotary positions in both pairings, grouped heads, norms of heads, a learned position; weights in two bytes.
  // Norms of results, of all heads together, caps, rows [q_h k_h v_h], a part of a head turned.
  for (const char* name : {"llama",
                           "llama-bf16",
                           "qwen3",
                           "gemma",
                           "gpt2",
                           "bert",
                           "gpt_neox",
                           "gptj",
                           "phi",
                           "gemma2",
                           "gemma3",
                           "olmo2-grouped",
                           "bloom",
                           "albert",
                           "modernbert",
                           "falcon",
                           "falcon-alibi",
                           "falcon-grouped",
                           "deberta_v2",
                           "deberta_v2-own",
                           "deberta_v2-p2c",
                           "deberta_v2-bf16",
                           "mpt",
                           "mpt-held",
                           "mpt-normed",
                           "cohere-normed",
                           "deepseek_v2",
                           "deepseek_v3"}) {
    for (const char* layer : {"0", "1"}) {
      Request request;
      find_request_option("model")->set(request, folder + name);
      find_request_option("layer")->set(request, layer);
      find_request_option("token-ids")->set(request, "1,3,2,5");
      Engine engine;
      const auto trace = engine.run(request, {});
      EXPECT_GT(check_every_cell(*trace, name), 200) << name;
    }
  }
}

TEST(Explain, LeavesHiddenNaNsOut) {
  Inputs inputs = alone_inputs({1, 3, 4, 1, 1, 2, 2});
  std::vector<float> value = inputs.value.values();
  value[6] = value[7] = std::nanf("");
  inputs.value = tensor_of({1, 1, 4, 2}, value);
  const auto trace = traced(explain_options(alone_request(), {{"mask", "padding:1"}}), inputs);
  const Explanation why = explain(*trace, StageId::context, {0, 0, 1, 1});
  EXPECT_EQ(why.terms.size(), 3U);
  EXPECT_EQ(why.operands.size(), 6U);
  EXPECT_NE(why.steps[0].expression.find("1 hidden, not read"), std::string::npos) << why.steps[0].expression;
  check_every_cell(*trace, "NaN behind a mask");
}

TEST(Explain, NamesAGroupedKeyByItsOwnHead) {
  const auto trace = traced(phrase_request(), separate_inputs(2));
  const Explanation why = explain(*trace, StageId::raw_scores, {1, 3, 2, 0});
  EXPECT_EQ(why.operands[0].stage, "query");
  EXPECT_EQ(why.operands[0].index, (Index{1, 3, 2, 0}));
  EXPECT_EQ(why.operands[1].stage, "key");
  EXPECT_EQ(why.operands[1].index, (Index{1, 1, 0, 0}));
  EXPECT_EQ(why.formula, "raw_scores[b,h,i,j] = Σ_d query[b,h,i,d] · key[b,g,j,d]");
}

TEST(Explain, PutsTheLargestTermsFirstAndFoldsTheRest) {
  Explanation sum;
  for (const double product : {1.0, -5.0, 0.25, 3.0, -0.5}) sum.terms.push_back({0, product, 1.0});
  const LargestTerms largest = largest_terms(sum, 2);
  ASSERT_EQ(largest.terms.size(), 2U);
  EXPECT_EQ(largest.terms[0].left, -5.0);
  EXPECT_EQ(largest.terms[1].left, 3.0);
  EXPECT_EQ(largest.others, 3);
  EXPECT_EQ(largest.rest, 0.75);
  EXPECT_EQ(largest.rest_largest, 1.0);
}

TEST(CellOrigin, HasOneStepForEveryStageThatTheTableOfDependenciesKnows) {
  const auto trace = traced(explain_options(phrase_request(), {{"mask", "causal"}}), fused_inputs(QkvLayout::per_head));
  for (const Stage& stage : trace->stages) {
    Index last;
    for (const std::int64_t size : stage.tensor.shape()) last.push_back(size - 1);
    const CellOrigin origin = origin_of(*trace, stage.id, last);
    EXPECT_EQ(origin.sources.empty(), origin.step == CellStep::given) << stage_name(stage.id);
    for (const CellSource& source : origin.sources) {
      for (int axis = 0; axis < source.region.count; ++axis) {
        EXPECT_GE(source.region[axis].begin, 0);
        EXPECT_LE(source.region[axis].end, source.tensor.dim(axis)) << source.name;
      }
    }
  }
}

}  // namespace
}  // namespace headscope

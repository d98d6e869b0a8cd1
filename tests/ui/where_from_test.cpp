// The chain of steps behind a cell: every number real, every step the next one's operand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/ui/where_from.h"
#include "tests/ui/small_trace.h"

namespace headscope::ui {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<WhereStep> steps(const Trace& trace, StageId stage, std::int64_t head, Cell cell) {
  return where_from(trace, stage, 0, head, cell, "it", "animal");
}

std::string text_of(const WhereStep& step) {
  std::string text;
  for (const RoleText& part : step.expression) text += part.text;
  return text;
}

TEST(WhereFrom, WalksFromTheProductToTheWeight) {
  const auto trace = trace_of(small_request());
  const std::vector<WhereStep> chain = steps(*trace, StageId::weights, 2, {4, 1});
  ASSERT_EQ(chain.size(), 6u);
  EXPECT_EQ(text_of(chain[0]), "query[it] · key[animal]");
  EXPECT_EQ(chain[0].value, static_cast<double>(trace->tensor(StageId::raw_scores).at({0, 2, 4, 1})));
  EXPECT_TRUE(std::abs(chain[1].value - chain[0].value / std::sqrt(8.0)) <= 1e-6);
  EXPECT_EQ(chain[2].value, chain[1].value) << "a visible cell gets nothing added";
  EXPECT_TRUE(chain[3].value <= 0) << "the row maximum is the largest";
  EXPECT_TRUE(std::abs(chain[4].value - std::exp(chain[3].value)) <= 1e-12);
  EXPECT_EQ(chain[5].value, static_cast<double>(trace->tensor(StageId::weights).at({0, 2, 4, 1})));
  EXPECT_EQ(chain[5].name, "÷ row sum");
}

TEST(WhereFrom, AHandCalculationOfTheLastStepGivesThePrintedWeight) {
  const auto trace = trace_of(small_request());
  for (std::int64_t head = 0; head < 4; ++head) {
    for (std::int64_t key = 0; key <= 4; ++key) {
      const std::vector<WhereStep> chain = steps(*trace, StageId::weights, head, {4, key});
      const double exponential = chain[4].value;
      const double sum = static_cast<double>(trace->row_statistics.sum.at({0, head, 4}));
      EXPECT_TRUE(std::abs(exponential / sum - chain[5].value) <= 1e-6);
    }
  }
}

TEST(WhereFrom, SaysHiddenWhereTheMaskHides) {
  Request request = small_request();
  const auto trace = trace_of(request);
  const std::vector<WhereStep> chain = steps(*trace, StageId::weights, 0, {1, 3});
  EXPECT_EQ(text_of(chain[2]), "hidden: \u2212inf");
  EXPECT_EQ(chain[2].value, -kInfinity);
  EXPECT_EQ(chain.back().value, 0);
  request.mask_fill = -1e20;
  const auto finite = trace_of(request);
  EXPECT_TRUE(steps(*finite, StageId::weights, 0, {1, 3})[2].value <= -9e19);
}

TEST(WhereFrom, StopsAtTheStageThatIsShown) {
  const auto trace = trace_of(small_request());
  EXPECT_EQ(steps(*trace, StageId::raw_scores, 0, {1, 1}).size(), 1u);
  EXPECT_EQ(steps(*trace, StageId::scores, 0, {1, 1}).size(), 2u);
  EXPECT_EQ(steps(*trace, StageId::masked_scores, 0, {1, 1}).size(), 3u);
}

TEST(WhereFrom, EndsWithTheCellsOwnNumberUnderEveryConvention) {
  std::vector<Request> requests;
  const auto with = [&](auto change) {
    Request request = small_request();
    change(request);
    requests.push_back(request);
  };
  with([](Request& r) { r.softcap = 2.0; });
  with([](Request& r) { r.scale = 0.7; });
  with([](Request& r) { r.scale = 1.0; });
  with([](Request& r) { r.mask_order = MaskOrder::before_scale; });
  with([](Request& r) { r.mask_order = MaskOrder::before_scale, r.mask_fill = -1e20; });
  with([](Request& r) { r.dropout = 0.5, r.dropout_seed = 3; });
  with([](Request& r) { r.mask.clear(); });
  with([](Request& r) { r.mask = {{MaskTerm::Kind::padding, 5, ""}}; });
  with([](Request& r) { r.mask = {{MaskTerm::Kind::padding, 5, ""}}, r.fully_masked = FullyMasked::zero; });
  with([](Request& r) { r.mask = {{MaskTerm::Kind::padding, 5, ""}}, r.fully_masked = FullyMasked::uniform; });
  with([](Request& r) { r.variants = {Variant::softmax_over_queries}; });
  with([](Request& r) { r.variants = {Variant::mask_after_softmax}; });
  with([](Request& r) { r.variants = {Variant::mask_inverted}; });
  with([](Request& r) { r.variants = {Variant::no_scale}; });
  with([](Request& r) { r.variants = {Variant::scale_by_d_model}; });
  with([](Request& r) { r.kv_heads = 2; });
  with([](Request& r) { r.key_phrase = "a b c"; });
  for (const Request& request : requests) {
    const auto trace = trace_of(request);
    for (const Stage& stage : trace->stages) {
      if (!is_score_like(stage.id)) continue;
      for (std::int64_t row = 0; row < trace->query_len(); ++row) {
        for (std::int64_t column = 0; column < trace->key_len(); ++column) {
          const std::vector<WhereStep> chain = steps(*trace, stage.id, 1, {row, column});
          ASSERT_FALSE(chain.empty());
          const auto own = static_cast<double>(stage.tensor.at({0, 1, row, column}));
          EXPECT_TRUE(chain.back().value == own || (std::isnan(own) && std::isnan(chain.back().value)))
              << stage_name(stage.id) << " " << row << ", " << column << ": " << chain.back().value << " and " << own;
        }
      }
    }
  }
}

}  // namespace
}  // namespace headscope::ui

#include "core/attention/hidden_weight.h"

#include <gtest/gtest.h>

#include "core/attention/shown_mask.h"
#include "core/attention/trace_notices.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

float weight_at(const Trace& trace, std::int64_t h, std::int64_t i, std::int64_t j) {
  return trace.tensor(StageId::weights).at({0, h, i, j});
}

TEST(HiddenWeight, CellsThatHoldWeightAreShownAndMarked) {
  const auto trace = small_trace(4, {{"mask", "causal"}, {"mask-fill", "0"}});
  ASSERT_NE(trace->hidden_weight, nullptr);
  for (const StageId stage : {StageId::weights, StageId::masked_scores}) {
    const auto shown = shown_mask(*trace, stage);
    ASSERT_NE(shown, nullptr);
    EXPECT_FALSE(shown->hidden.any());
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < 4; ++j) EXPECT_EQ(shown->marked.hidden(0, 2, i, j), j > i) << i << ' ' << j;
    }
  }
  double hidden = 0, all = 0;
  for (std::int64_t h = 0; h < 4; ++h) {
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 4; ++j) {
        all += static_cast<double>(weight_at(*trace, h, i, j));
        if (j > i) hidden += static_cast<double>(weight_at(*trace, h, i, j));
      }
    }
  }
  EXPECT_NEAR(trace->hidden_weight->share, hidden / all, 1e-6);
  EXPECT_EQ(trace->hidden_weight->queries, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(weighed_keys(*trace, 0, 1, 0), 4);
}

TEST(HiddenWeight, OnlyCellsWithWeightAreMarked) {
  // A fill that some rows' scores leave far behind, and others do not: the request alone cannot tell them apart.
  const auto trace = small_trace(6, {{"mask", "causal"}, {"mask-fill", "-60"}, {"scale", "150"}});
  std::int64_t weighed = 0, nothing = 0;
  const auto shown = shown_mask(*trace, StageId::weights);
  ASSERT_NE(shown, nullptr);
  for (std::int64_t h = 0; h < 4; ++h) {
    for (std::int64_t i = 0; i < 6; ++i) {
      for (std::int64_t j = i + 1; j < 6; ++j) {
        const bool holds = weight_at(*trace, h, i, j) > 0;
        (holds ? weighed : nothing) += 1;
        EXPECT_EQ(shown->hidden.hidden(0, h, i, j), !holds);
        if (trace->hidden_weight != nullptr) {
          EXPECT_EQ(shown->marked.hidden(0, h, i, j), holds);
        }
      }
    }
  }
  EXPECT_GT(weighed, 0) << "the case shows nothing";
  EXPECT_GT(nothing, 0) << "the case shows nothing";
}

TEST(HiddenWeight, IsNothingBelowAFillThatIsLowEnough) {
  EXPECT_EQ(small_trace(4, {{"mask", "causal"}})->hidden_weight, nullptr);
  EXPECT_EQ(small_trace(4, {{"mask", "causal"}, {"mask-fill", "-1e20"}})->hidden_weight, nullptr);
  EXPECT_EQ(small_trace(4, {{"mask", "padding:4"}, {"mask-fill", "-1e20"}})->hidden_weight, nullptr)
      << "rows that are hidden whole are said elsewhere";
  const auto after = small_trace(4, {{"mask", "causal"}, {"mask-fill", "0"}, {"variant", "mask-after-softmax"}});
  EXPECT_EQ(after->hidden_weight, nullptr) << "their weights are set to 0";
}

TEST(HiddenWeight, AnEditedCellHoldsWhatWasPutThere) {
  const auto trace = small_trace(4, {{"mask", "causal"}, {"edit", "weights:0,1,0,3=0.25"}});
  ASSERT_NE(trace->hidden_weight, nullptr);
  const auto shown = shown_mask(*trace, StageId::weights);
  EXPECT_FALSE(shown->hidden.hidden(0, 1, 0, 3));
  EXPECT_TRUE(shown->marked.hidden(0, 1, 0, 3));
  EXPECT_TRUE(shown->hidden.hidden(0, 1, 0, 2));
  EXPECT_TRUE(shown->hidden.hidden(0, 0, 0, 3));
  EXPECT_EQ(hidden_weight_sentence(*trace), "hidden cells hold 0.20 of the weight of row 0: numbers were put there");
}

TEST(HiddenWeight, OfWeightsThatAreComputedWhenReadEveryHiddenCellIsMarked) {
  EngineOptions options;
  options.stage_memory = 0;
  Engine engine(options);
  const auto trace = engine.run(small_request(40, {{"mask", "causal"}, {"mask-fill", "0"}}), {});
  ASSERT_NE(trace->on_demand, nullptr);
  ASSERT_NE(trace->hidden_weight, nullptr);
  EXPECT_TRUE(trace->hidden_weight->of_some_rows);
  EXPECT_GT(trace->hidden_weight->share, 0.1);
  const auto shown = shown_mask(*trace, StageId::weights);
  EXPECT_FALSE(shown->hidden.any());
  EXPECT_TRUE(shown->marked.hidden(0, 0, 3, 4));
  EXPECT_FALSE(shown->marked.hidden(0, 0, 4, 4));
  EXPECT_EQ(engine.run(small_request(40, {{"mask", "causal"}, {"mask-fill", "-1e9"}}), {})->hidden_weight, nullptr);
}

TEST(HiddenWeight, ItsSentenceNamesShareRowsAndFill) {
  const auto trace = small_trace(4, {{"mask", "causal"}, {"mask-fill", "0"}});
  const std::string sentence = hidden_weight_sentence(*trace);
  EXPECT_TRUE(sentence.starts_with("hidden cells hold 0.")) << sentence;
  EXPECT_TRUE(sentence.ends_with(" of the weight of rows 0 to 2: the fill 0 is not below the scores")) << sentence;
  const std::vector<TraceNotice> notices = trace_notices(*trace);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].key, "hidden_weight");
  EXPECT_EQ(notices[0].sentence, sentence);
  EXPECT_EQ(hidden_weight_sentence(*small_trace(4, {{"mask", "causal"}})), "");
}

TEST(HiddenWeight, AFillIsSpelledAsPeopleWriteIt) {
  EXPECT_EQ(fill_text(-100000), "-1e5");
  EXPECT_EQ(fill_text(-1e20), "-1e20");
  EXPECT_EQ(fill_text(-1e-9), "-1e-9");
  EXPECT_EQ(fill_text(-12.5), "-12.5");
  EXPECT_EQ(fill_text(0), "0");
  EXPECT_EQ(fill_text(-12345), "-12345");
}

}  // namespace
}  // namespace headscope

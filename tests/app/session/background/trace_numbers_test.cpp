// What is derived from a trace: small matrices within the budget of a frame, large ones from the background.
#include "app/session/background/trace_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/background/combined_statistics.h"
#include "core/attention/engine.h"

namespace headscope {
namespace {

Request small_request() {
  Request request;
  request.phrase = "Hola mi nombre es Alex";
  request.d_model = 32;
  request.heads = 4;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

std::shared_ptr<const Trace> trace_of(const Request& request) {
  Engine engine;
  return engine.run(request, {});
}

// A trace whose score-like stages are too large for a frame.
std::shared_ptr<const Trace> large_trace() {
  Request request = small_request();
  request.phrase.clear();
  for (int k = 0; k < 1100; ++k) request.phrase += "a ";
  request.d_model = 8;
  request.heads = 2;
  EngineOptions options;
  options.stage_memory = 1 << 16;
  Engine engine(options);
  return engine.run(request, {});
}

Background inline_background() {
  return Background(
      *make_inline_executor(), [] {},
      [](const Request& request, Engine& engine, const CancelToken& cancel, const EarlyTrace& early) {
        return engine.run(request, cancel, early);
      },
      {});
}

// A model whose last layer, or layer 0, is shown: what the run gives before its end, and its result.
struct RunOfModel {
  std::vector<std::shared_ptr<const Trace>> early;
  std::shared_ptr<const Trace> last;
};

RunOfModel run_of_model(std::optional<std::int64_t> layer) {
  EngineOptions options;
  options.whole_model = true;
  options.between_early = {};
  Engine engine(options);
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2";
  request.token_ids = {3, 1, 2};
  request.layer = layer;
  RunOfModel run;
  run.last =
      engine.run(request, {}, [&](std::shared_ptr<const Trace> trace) { run.early.push_back(std::move(trace)); });
  return run;
}

TEST(TraceNumbers, StayWhileARunAddsLayersToTheShownOne) {
  const RunOfModel first = run_of_model(0);
  ASSERT_FALSE(first.early.empty());
  ASSERT_NE(first.early.front(), first.last);
  TraceNumbers numbers(first.early.front(), 7);
  const Statistics* const known = numbers.statistics(StageId::weights);
  EXPECT_TRUE(numbers.follow(first.last));
  EXPECT_EQ(numbers.shared_trace(), first.last);
  EXPECT_EQ(numbers.statistics(StageId::weights), known);
  EXPECT_EQ(numbers.version(), 7u);
  EXPECT_FALSE(numbers.follow(run_of_model(0).last)) << "the same request once more";

  const RunOfModel other = run_of_model({});
  ASSERT_FALSE(other.early.empty());
  TraceNumbers lower(other.early.front(), 8);
  EXPECT_FALSE(lower.follow(other.last)) << "another layer";
  EXPECT_FALSE(lower.follow(trace_of(small_request()))) << "no model";
  EXPECT_EQ(lower.shared_trace(), other.early.front());
}

TEST(TraceNumbers, StatisticsOfPartsAreThoseOfTheWhole) {
  TraceNumbers numbers(trace_of(small_request()), 1);
  for (const StageId stage : {StageId::raw_scores, StageId::masked_scores, StageId::weights, StageId::context}) {
    std::vector<Statistics> parts;
    for (std::int64_t head = 0; head < 4; ++head) parts.push_back(*numbers.statistics(stage, 0, head));
    const Statistics sum = combined_statistics(parts);
    const Statistics whole = statistics_of(numbers.trace().tensor(stage));
    EXPECT_EQ(sum.count, whole.count);
    EXPECT_EQ(sum.inf_count, whole.inf_count);
    EXPECT_EQ(sum.min, whole.min);
    EXPECT_EQ(sum.max, whole.max);
    EXPECT_TRUE(std::abs(sum.mean - whole.mean) <= 1e-12);
    EXPECT_TRUE(std::abs(sum.std - whole.std) <= 1e-12);
    EXPECT_TRUE(std::abs(sum.l2_norm - whole.l2_norm) <= 1e-9);
  }
  const Statistics nothing = combined_statistics({});
  EXPECT_EQ(nothing.count, 0);
  EXPECT_TRUE(std::isnan(nothing.mean));
}

TEST(TraceNumbers, RangesAreOfTheSliceAloneOrOfTheStage) {
  TraceNumbers numbers(trace_of(small_request()), 1);
  EXPECT_EQ(numbers.color_range(StageId::weights, 0, 0, {}), (ValueRange{0, 1, false, false}));
  const ValueRange all = numbers.color_range(StageId::raw_scores, 0, 0, {});
  EXPECT_EQ(all.low, -all.high);
  EXPECT_EQ(numbers.color_range(StageId::raw_scores, 0, 3, {}), all);
  const Statistics& own = *numbers.statistics(StageId::weights, 0, 2);
  EXPECT_EQ(numbers.color_range(StageId::weights, 0, 2, {.slice_alone = true}).high, own.max);
}

TEST(TraceNumbers, LargeMatricesComeFromTheBackgroundAndAreKept) {
  Background background = inline_background();
  TraceNumbers numbers(large_trace(), 7, &background);
  ASSERT_TRUE(numbers.is_large(StageId::weights));
  EXPECT_EQ(numbers.map_key(StageId::weights, 0, 1), (MapKey{7, StageId::weights, 0, 1}));
  EXPECT_EQ(numbers.statistics(StageId::weights, 0, 1), nullptr);
  EXPECT_EQ(numbers.summary(0, 1), nullptr);
  numbers.ask_for_numbers(StageId::weights, 0, 1);
  const Statistics* known = numbers.statistics(StageId::weights, 0, 1);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->count, numbers.matrix(StageId::weights, 0, 1).size());
  EXPECT_NE(numbers.summary(0, 1), nullptr);
  EXPECT_EQ(numbers.statistics(StageId::weights, 0, 1), known) << "the same object";
  EXPECT_FALSE(numbers.unfinished());
}

TEST(TraceNumbers, WithoutABackgroundLargeNumbersStayUnknown) {
  TraceNumbers numbers(large_trace(), 1);
  numbers.ask_for_numbers(StageId::weights, 0, 0);
  numbers.stop_numbers(StageId::weights, 0, 0);
  EXPECT_EQ(numbers.large_numbers(StageId::weights, 0, 0).state, SliceNumbers::State::unknown);
  EXPECT_EQ(numbers.histogram(StageId::weights, 0, 0), nullptr);
}

}  // namespace
}  // namespace headscope

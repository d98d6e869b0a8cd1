#include "app/session/background/maps/slice_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/engine.h"
#include "core/base/error.h"

namespace headscope {
namespace {

Tensor waves(std::int64_t rows, std::int64_t columns) {
  return Tensor::computed({rows, columns}, {Axis::query, Axis::key}, [](const Region& region, std::span<float> out) {
    std::size_t at = 0;
    for (std::int64_t i = region[0].begin; i < region[0].end; ++i) {
      for (std::int64_t j = region[1].begin; j < region[1].end; ++j)
        out[at++] = std::sin(static_cast<float>(i + 3 * j));
    }
  });
}

TEST(ReadByStrips, gives_the_same_numbers_and_reads_each_row_once) {
  std::vector<std::int64_t> strips;
  const Tensor matrix = waves(23, 9);
  const Tensor buffered = read_by_strips(matrix, 8, [&](std::int64_t row) { strips.push_back(row); });
  EXPECT_EQ(buffered.values(), matrix.values());
  EXPECT_EQ(strips, (std::vector<std::int64_t>{0, 8, 16}));
  for (std::int64_t i = 0; i < 23; ++i) EXPECT_EQ(buffered.at({i, 4}), matrix.at({i, 4}));
  EXPECT_EQ(strips.size(), 6U);
}

TEST(SliceNumbers, are_those_of_the_whole_matrix) {
  SliceNumbers numbers(make_inline_executor(), [] {});
  const Tensor matrix = waves(300, 200);
  const MapKey key{1, StageId::scores, 0, 2};
  EXPECT_EQ(numbers.numbers(key).state, SliceNumbers::State::unknown);
  numbers.ask(key, matrix, 10);
  const SliceNumbers::Numbers known = numbers.numbers(key);
  ASSERT_EQ(known.state, SliceNumbers::State::known);
  const Statistics expected = statistics_of(matrix);
  EXPECT_EQ(known.statistics.count, 60000);
  EXPECT_EQ(known.statistics.mean, expected.mean);
  EXPECT_EQ(known.statistics.max, expected.max);
  EXPECT_EQ(known.histogram.counts, histogram_of(matrix, 10).counts);
  EXPECT_FALSE(known.summary);
}

TEST(SliceNumbers, name_the_pattern_of_a_head) {
  Request request;
  request.phrase = "one two three four five six";
  request.d_model = 16;
  request.heads = 2;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  Engine engine;
  const auto trace = engine.run(request, {});
  SliceNumbers numbers(make_inline_executor(), [] {});
  const MapKey key{1, StageId::weights, 0, 1};
  numbers.ask(key, matrix_at(trace->tensor(StageId::weights), 0, 1), 10, trace);
  const SliceNumbers::Numbers known = numbers.numbers(key);
  ASSERT_TRUE(known.summary);
  const HeadSummary expected = summarize_head(*trace, 0, 1);
  EXPECT_EQ(known.summary->entropy_bits, expected.entropy_bits);
  EXPECT_EQ(known.summary->pattern, expected.pattern);
  EXPECT_EQ(known.summary->score, expected.score);
}

TEST(SliceNumbers, tell_how_far_they_are_and_can_be_cancelled) {
  auto own = std::make_unique<ManualExecutor>();
  ManualExecutor* executor = own.get();
  SliceNumbers* all = nullptr;
  double most = 0;
  int reads = 0;
  const MapKey key{1, StageId::scores, 0, 0};
  SliceNumbers numbers(std::move(own), [&] {
    const auto now = all->numbers(key);
    if (now.state == SliceNumbers::State::running) most = std::max(most, now.progress);
  });
  all = &numbers;
  const Tensor slow =
      Tensor::computed({8000, 2000}, {Axis::query, Axis::key}, [&](const Region&, std::span<float> out) {
        std::fill(out.begin(), out.end(), 0.0F);
        if (++reads == 8) all->cancel(key);
      });
  numbers.ask(key, slow, 10);
  EXPECT_EQ(numbers.numbers(key).state, SliceNumbers::State::waiting);
  EXPECT_TRUE(numbers.busy());
  while (executor->step()) {
  }
  EXPECT_EQ(reads, 8);
  EXPECT_GT(most, 0.05);
  EXPECT_EQ(numbers.numbers(key).state, SliceNumbers::State::unknown);
  numbers.ask(key, slow, 10);
  while (executor->step()) {
  }
  EXPECT_EQ(numbers.numbers(key).state, SliceNumbers::State::known);
  EXPECT_FALSE(numbers.busy());
}

TEST(SliceNumbers, a_newer_trace_drops_what_waits_for_an_older_one) {
  auto own = std::make_unique<ManualExecutor>();
  ManualExecutor* executor = own.get();
  SliceNumbers numbers(std::move(own), [] {});
  numbers.ask({1, StageId::scores, 0, 0}, waves(10, 10), 4);
  numbers.ask({2, StageId::scores, 0, 0}, waves(10, 10), 4);
  while (executor->step()) {
  }
  EXPECT_EQ(numbers.numbers({1, StageId::scores, 0, 0}).state, SliceNumbers::State::unknown);
  EXPECT_EQ(numbers.numbers({2, StageId::scores, 0, 0}).state, SliceNumbers::State::known);
}

TEST(SliceNumbers, say_why_they_are_not_there) {
  SliceNumbers numbers(make_inline_executor(), [] {});
  const MapKey key{1, StageId::scores, 0, 0};
  numbers.ask(key,
              Tensor::computed({4, 4}, {Axis::query, Axis::key},
                               [](const Region&, std::span<float>) { throw Error("the disk is gone"); }),
              4);
  EXPECT_EQ(numbers.numbers(key).state, SliceNumbers::State::failed);
  EXPECT_EQ(numbers.numbers(key).failure, "the disk is gone");
}

}  // namespace
}  // namespace headscope

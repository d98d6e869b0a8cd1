#include "core/heads/arcs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

// By hand: every weight, sorted.
std::vector<Arc> expected_arcs(const Trace& trace, const ArcRequest& request) {
  std::vector<Arc> arcs;
  for (const std::int64_t h : request.heads) {
    for (std::int64_t i = request.queries.begin; i < request.queries.end; ++i) {
      for (std::int64_t j = request.keys.begin; j < request.keys.end; ++j) {
        const float weight = trace.tensor(StageId::weights).at({request.batch, h, i, j});
        if (weight > 0 && static_cast<double>(weight) >= request.hide_below) arcs.push_back({h, i, j, weight});
      }
    }
  }
  std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) { return a.weight > b.weight; });
  return arcs;
}

TEST(Arcs, are_the_weights_strongest_first) {
  const auto trace = small_trace(23, {{"mask", "causal"}, {"batch", "2"}, {"init-gain", "3"}});
  for (const double least : {0.0, 0.05, 0.3, 1.0}) {
    for (const std::int64_t most : {0L, 1L, 7L, 100L, 100000L}) {
      const ArcRequest request{1, {0, 2, 3}, {3, 20}, {1, 23}, least, most};
      const Arcs arcs = strongest_arcs(*trace, request);
      std::vector<Arc> expected = expected_arcs(*trace, request);
      EXPECT_EQ(arcs.found, std::ssize(expected));
      expected.resize(std::min(expected.size(), static_cast<std::size_t>(most)));
      EXPECT_EQ(arcs.arcs, expected) << least << ' ' << most;
    }
  }
}

// Rows of 0 / 0 and hidden cells are no arcs.
TEST(Arcs, are_neither_nan_nor_hidden) {
  const auto trace = small_trace(6, {{"mask", "padding:6"}});
  EXPECT_EQ(strongest_arcs(*trace, {0, {0, 1, 2, 3}, {0, 6}, {0, 6}, 0, 1000}).found, 0);
  const auto causal = small_trace(6, {{"mask", "causal"}});
  for (const Arc& arc : strongest_arcs(*causal, {0, {0}, {0, 6}, {0, 6}, 0, 1000}).arcs) {
    EXPECT_LE(arc.key, arc.query);
  }
  EXPECT_TRUE(strongest_arcs(*causal, {0, {}, {0, 6}, {0, 6}, 0, 1000}).arcs.empty());
  EXPECT_TRUE(strongest_arcs(*causal, {0, {0}, {2, 2}, {0, 6}, 0, 1000}).arcs.empty());
}

TEST(Arcs, of_many_equal_weights_the_first_ones_stay) {
  const auto trace = small_trace(9, {{"mask", "padding:9"}, {"fully-masked", "uniform"}});
  const Arcs arcs = strongest_arcs(*trace, {0, {1, 3}, {0, 9}, {0, 9}, 0, 20});
  ASSERT_EQ(arcs.arcs.size(), 20u);
  EXPECT_EQ(arcs.found, 2 * 81);
  for (std::int64_t k = 0; k < 20; ++k) {
    const Arc& arc = arcs.arcs[static_cast<std::size_t>(k)];
    EXPECT_EQ(std::tuple(arc.head, arc.query, arc.key), std::tuple(std::int64_t{1}, k / 9, k % 9));
  }
}

TEST(Arcs, a_cancelled_search_stops) {
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(strongest_arcs(*small_trace(3), {0, {0}, {0, 3}, {0, 3}, 0, 10}, cancel), Cancelled);
}

}  // namespace
}  // namespace headscope

// Cells that meet a condition: how many there are, and from one to the next.
#include "app/session/background/cell_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope {
namespace {

CellSearchQuery query_of(const Tensor& matrix, const std::string& condition) {
  return {{}, matrix, nullptr, cell_condition_of(condition).value()};
}

Tensor matrix_of(std::int64_t rows, std::int64_t columns, std::vector<float> values) {
  return Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::move(values));
}

CellMatches found(const CellSearchQuery& query) {
  return find_cells(query, CancelToken(), [](const CellMatches&) {});
}

TEST(CellSearch, CountsTheMatchesOfEveryRow) {
  const CellMatches matches = found(query_of(matrix_of(3, 3, {1, 0, 1, 0, 0, 0, 0, 1, 0}), "= 1"));
  EXPECT_EQ(matches.rows, (std::vector<std::int64_t>{2, 0, 1}));
  EXPECT_EQ(matches.count, 3);
}

TEST(CellSearch, GoesForwardAndBackAndAroundTheEnds) {
  const CellSearchQuery query = query_of(matrix_of(3, 3, {1, 0, 1, 0, 0, 0, 0, 1, 0}), "= 1");
  const CellMatches matches = found(query);
  const auto go = [&](const CellFrom& from, bool forward) {
    const CellMatch match = next_match(query, matches, from, forward).value();
    return std::vector<std::int64_t>{match.row, match.column, match.number};
  };
  using V = std::vector<std::int64_t>;
  EXPECT_EQ(go({}, true), (V{0, 0, 0}));
  EXPECT_EQ(go({0, 0}, true), (V{0, 2, 1}));
  EXPECT_EQ(go({0, 2}, true), (V{2, 1, 2}));
  EXPECT_EQ(go({2, 1}, true), (V{0, 0, 0})) << "on at the other end";
  EXPECT_EQ(go({0, 0}, false), (V{2, 1, 2}));
  EXPECT_EQ(go({2, 0}, false), (V{0, 2, 1})) << "from a cell that is none";
  EXPECT_EQ(go({}, false), (V{2, 1, 2}));
}

TEST(CellSearch, OneMatchIsFoundFromItself) {
  const CellSearchQuery query = query_of(matrix_of(2, 2, {0, 0, 0, 7}), "> 5");
  const CellMatch match = next_match(query, found(query), {1, 1}, true).value();
  EXPECT_EQ(match.row, 1);
  EXPECT_EQ(match.number, 0);
  const CellSearchQuery none = query_of(matrix_of(2, 2, {0, 0, 0, 7}), "nan");
  EXPECT_EQ(next_match(none, found(none), {}, true).has_value(), false);
}

TEST(CellSearch, ReadsALargeMatrixInStripsAndCanBeCancelled) {
  std::int64_t most = 0;
  const Tensor large =
      Tensor::computed({1024, 4096}, {Axis::query, Axis::key}, [&most](const Region& region, std::span<float> out) {
        most = std::max(most, element_count(region));
        std::fill(out.begin(), out.end(), 0.0F);
        if (region[1].begin == 0) out[0] = 1;
      });
  const CellMatches matches = found(query_of(large, "> 0.5"));
  EXPECT_EQ(matches.count, 4) << "one a strip";
  EXPECT_LE(most, std::int64_t{1} << 20);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(find_cells(query_of(large, "> 0.5"), cancel, [](const CellMatches&) {}), Cancelled);
}

}  // namespace
}  // namespace headscope

// Principal components of queries and keys together, against Jacobi's rotations in plain loops.
#include "core/heads/query_key_scatter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/engine.h"
#include "core/request/request_text.h"
#include "tests/core/jacobi.h"

namespace headscope {
namespace {

using Rows = PlainRows;

std::shared_ptr<const Trace> computed(std::initializer_list<std::pair<const char*, const char*>> options = {}) {
  Request request;
  request.phrase = "the animal did not cross the street";
  request.d_model = 24;
  request.heads = 4;
  request.input_dim = 12;
  for (const auto& [name, value] : options) find_request_option(name)->set(request, value);
  return Engine().run(request, {});
}

Rows scatter_rows_of(const Tensor& stage, std::int64_t batch, std::int64_t head) {
  Rows rows(static_cast<std::size_t>(stage.dim(2)), std::vector<double>(static_cast<std::size_t>(stage.dim(3))));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t d = 0; d < rows[i].size(); ++d) {
      rows[i][d] = stage.at({batch, head, static_cast<std::int64_t>(i), static_cast<std::int64_t>(d)});
    }
  }
  return rows;
}

// Where the two largest components put the rows, in plain loops.
struct Plain {
  Rows points;  // [n][2]
  double share[2] = {0, 0};
};

Plain plain_scatter(const Rows& rows) {
  const std::size_t n = rows.size(), features = rows[0].size();
  std::vector<double> mean(features);
  for (const auto& row : rows) {
    for (std::size_t d = 0; d < features; ++d) mean[d] += row[d] / static_cast<double>(n);
  }
  Rows covariance(features, std::vector<double>(features));
  for (const auto& row : rows) {
    for (std::size_t d = 0; d < features; ++d) {
      for (std::size_t e = 0; e < features; ++e) {
        covariance[d][e] += (row[d] - mean[d]) * (row[e] - mean[e]) / static_cast<double>(n);
      }
    }
  }
  const PlainSpectrum found = jacobi_spectrum(covariance);
  double total = 0;
  for (const double value : found.values) total += value;
  std::vector<std::size_t> order(features);
  for (std::size_t k = 0; k < features; ++k) order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return found.values[a] > found.values[b]; });
  Plain plain{Rows(n, std::vector<double>(2)), {0, 0}};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::vector<double>& direction = found.vectors[order[axis]];
    double largest = 0;
    for (const double each : direction) {
      if (std::fabs(each) > std::fabs(largest)) largest = each;
    }
    const double sign = largest < 0 ? -1 : 1;
    plain.share[axis] = found.values[order[axis]] / total;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t d = 0; d < features; ++d) plain.points[i][axis] += sign * direction[d] * (rows[i][d] - mean[d]);
    }
  }
  return plain;
}

void expect_plain(const Trace& trace, std::int64_t batch, std::int64_t head) {
  const Tensor& key = trace.tensor(StageId::key);
  Rows rows = scatter_rows_of(trace.tensor(StageId::query), batch, head);
  const Rows keys = scatter_rows_of(key, batch, head / (trace.num_heads() / key.dim(1)));
  const std::size_t queries = rows.size();
  rows.insert(rows.end(), keys.begin(), keys.end());
  const Plain wanted = plain_scatter(rows);
  const QueryKeyScatter found = query_key_scatter(trace, batch, head, {});
  ASSERT_EQ(found.queries.size(), queries);
  ASSERT_EQ(found.keys.size(), keys.size());
  EXPECT_EQ(found.left_out, 0);
  double difference = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ScatterPoint& point = i < queries ? found.queries[i] : found.keys[i - queries];
    difference =
        std::max({difference, std::fabs(point.x - wanted.points[i][0]), std::fabs(point.y - wanted.points[i][1])});
    EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y));
  }
  EXPECT_TRUE(difference <= 1e-9) << difference;
  EXPECT_NEAR(found.share[0], wanted.share[0], 1e-12);
  EXPECT_NEAR(found.share[1], wanted.share[1], 1e-12);
}

TEST(QueryKeyScatter, IsWhatPlainLoopsGive) {
  for (std::int64_t head = 0; head < 4; ++head) {
    expect_plain(*computed(), 0, head);
    expect_plain(*computed({{"kv-heads", "2"}}), 0, head);
    expect_plain(*computed({{"batch", "2"}, {"embedding", "sequence"}}), 1, head);
    expect_plain(*computed({{"key-phrase", "one two three"}}), 0, head);
  }
}

TEST(QueryKeyScatter, IsTheSameForAnyNumberOfThreads) {
  const QueryKeyScatter one = query_key_scatter(*computed({{"threads", "1"}}), 0, 1, {});
  const QueryKeyScatter many = query_key_scatter(*computed({{"threads", "4"}}), 0, 1, {});
  for (std::size_t i = 0; i < one.queries.size(); ++i) {
    EXPECT_EQ(one.queries[i].x, many.queries[i].x);
    EXPECT_EQ(one.keys[i].y, many.keys[i].y);
  }
}

TEST(QueryKeyScatter, WhatIsNotFiniteIsLeftOutAndMovesNoOther) {
  const auto trace = computed({{"edit", "query:0,1,2,0=inf;key:0,1,3,1=-inf"}});
  const QueryKeyScatter found = query_key_scatter(*trace, 0, 1, {});
  EXPECT_EQ(found.left_out, 2);
  EXPECT_TRUE(std::isnan(found.queries[2].x));
  EXPECT_TRUE(std::isnan(found.keys[3].y));
  Rows rows = scatter_rows_of(trace->tensor(StageId::query), 0, 1),
       keys = scatter_rows_of(trace->tensor(StageId::key), 0, 1);
  rows.erase(rows.begin() + 2);
  keys.erase(keys.begin() + 3);
  rows.insert(rows.end(), keys.begin(), keys.end());
  const Plain wanted = plain_scatter(rows);
  EXPECT_NEAR(found.queries[0].x, wanted.points[0][0], 1e-9);
  EXPECT_NEAR(found.queries[3].y, wanted.points[2][1], 1e-9);
}

TEST(QueryKeyScatter, OneFeatureHasOneComponent) {
  const QueryKeyScatter found = query_key_scatter(*computed({{"heads", "24"}}), 0, 5, {});
  EXPECT_EQ(found.features, 1);
  EXPECT_NEAR(found.share[0], 1, 1e-12);
  EXPECT_EQ(found.share[1], 0);
  for (const ScatterPoint& point : found.queries) EXPECT_EQ(point.y, 0);
}

TEST(QueryKeyScatter, PointsThatAreOneHaveNoVariance) {
  const QueryKeyScatter found = query_key_scatter(*computed({{"scale-query", "0"}, {"scale-key", "0"}}), 0, 0, {});
  EXPECT_EQ(found.share[0], 0);
  for (const ScatterPoint& point : found.keys) EXPECT_EQ(point.x, 0);
}

}  // namespace
}  // namespace headscope

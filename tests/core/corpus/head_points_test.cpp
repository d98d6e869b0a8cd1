#include "core/corpus/head_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/corpus/principal_axes.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

TEST(HeadPoints, PlacesAreThoseOnTheAxes) {
  const CorpusRecord record = test::made_record(2, 90, {0, 90});
  for (const VectorKind kind : all_vector_kinds()) {
    const HeadVectors& vectors = record.heads[3].vectors[static_cast<std::size_t>(kind)];
    const HeadPoints points = head_points(record, 3, kind);
    const PrincipalAxes axes = principal_axes(vectors, record.tokens);
    ASSERT_EQ(points.axes(), axes.size());
    const std::vector<double> places = projected_points(axes, vectors.points, 8);
    for (std::size_t axis = 0; axis < points.axes(); ++axis) {
      EXPECT_EQ(points.shares[axis], axes.share(axis));
      ASSERT_EQ(points.on(axis).size(), record.points.size());
      for (std::size_t k = 0; k < points.count; ++k) EXPECT_EQ(points.on(axis)[k], places[k * axes.size() + axis]);
    }
    if (points.axes() == 0) continue;
    EXPECT_EQ(points.on(7).data(), points.on(points.axes() - 1).data()) << "the last one";
    EXPECT_TRUE(axis_title(points, 0).starts_with("axis 1: ")) << axis_title(points, 0);
  }
  EXPECT_EQ(vector_kind_named("value"), VectorKind::value);
  EXPECT_EQ(vector_kind_named("values"), std::nullopt);
}

TEST(HeadPoints, FrequentTokensComeFirst) {
  CorpusRecord record;
  for (const std::uint64_t token : {5U, 9U, 2U, 9U, 5U, 5U, 7U, 2U, 1U}) {
    record.points.push_back({0, 0, token, 0, "w" + std::to_string(token)});
  }
  const std::vector<PointToken> all = frequent_tokens(record, 8);
  EXPECT_EQ(all, (std::vector<PointToken>{{"w5", 5, 3}, {"w9", 9, 2}, {"w2", 2, 2}})) << "none of a single point";
  const std::vector<PointToken> two = frequent_tokens(record, 2);
  EXPECT_EQ(token_of_points(record, two), (std::vector<std::int64_t>{0, 1, -1, 1, 0, 0, -1, -1, -1}));
}

}  // namespace
}  // namespace headscope

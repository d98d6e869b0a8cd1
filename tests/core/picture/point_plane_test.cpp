#include "core/picture/point_plane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace headscope {
namespace {

QueryKeyScatter four_points() {
  QueryKeyScatter scatter;
  scatter.queries = {{-3, 1}, {5, 0.5}};
  scatter.keys = {{1, -2}, {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()}};
  return scatter;
}

TEST(PointPlane, OneScaleHoldsAllPointsInsideOfTheFrame) {
  const PlaneExtents extents = plane_extents(four_points());
  EXPECT_EQ(extents.x.low, -3);
  EXPECT_EQ(extents.x.high, 5);
  EXPECT_EQ(extents.y.low, -2);
  EXPECT_EQ(extents.y.high, 1);
  for (const double height : {100.0, 900.0}) {
    const PointPlane plane = point_plane(extents, 10, 20, 400, height);
    EXPECT_NEAR(plane.at_x(1), 10 + 200, 1e-9) << "the middle of the extents";
    EXPECT_NEAR(plane.at_y(-0.5), 20 + height / 2, 1e-9);
    EXPECT_NEAR(plane.at_x(5) - plane.at_x(-3), 8 * plane.scale, 1e-9);
    EXPECT_NEAR(plane.at_y(-2) - plane.at_y(1), 3 * plane.scale, 1e-9) << "up is positive";
    EXPECT_NEAR(plane.scale, std::min(400 / (8 * 1.12), height / (3 * 1.12)), 1e-9);
  }
}

TEST(PointPlane, ThePointOfTheMeanIsInsideAlsoWhereNoPointIs) {
  QueryKeyScatter scatter;
  scatter.queries = {{2, 3}, {4, 5}};
  const PlaneExtents extents = plane_extents(scatter);
  EXPECT_EQ(extents.x.low, 0);
  EXPECT_EQ(extents.y.low, 0);
  EXPECT_EQ(plane_extents(QueryKeyScatter{}).x.length(), 1) << "without points there is a plane";
}

TEST(PointPlane, TicksAreRoundAndApart) {
  for (const double size : {1e-4, 0.3, 8.0, 4e5}) {
    QueryKeyScatter scatter;
    scatter.queries = {{-size, -size / 3}, {size, size / 2}};
    const PointPlane plane = point_plane(plane_extents(scatter), 0, 0, 700, 500);
    for (const auto& ticks : {ticks_across(plane, 64), ticks_upwards(plane, 64)}) {
      ASSERT_GE(ticks.size(), 2U);
      const double step = ticks[1] - ticks[0];
      EXPECT_GE(step * plane.scale, 64 * (1 - 1e-9));
      EXPECT_LT(step * plane.scale, 64 * 2.5 * (1 + 1e-9)) << "no larger step than needed";
      const double digit = step / std::pow(10.0, std::floor(std::log10(step * (1 + 1e-9))));
      EXPECT_TRUE(std::fabs(digit - 1) < 1e-6 || std::fabs(digit - 2) < 1e-6 || std::fabs(digit - 5) < 1e-6) << digit;
    }
    EXPECT_GE(plane.at_x(ticks_across(plane, 64).front()), -1e-6);
    EXPECT_LE(plane.at_x(ticks_across(plane, 64).back()), 700 + 1e-6);
  }
}

TEST(PointPlane, ANameStandsAtTheFirstFreeSide) {
  const PointPlane plane{0, 0, 400, 200};
  const NameRoom room{4, 7, 7};
  const auto alone = name_places({{100, 100, 40}}, plane, room);
  ASSERT_TRUE(alone[0]);
  EXPECT_EQ(alone[0]->left, 107);
  EXPECT_EQ(alone[0]->middle, 100);
  const auto beside = name_places({{100, 100, 40}, {120, 100, 40}}, plane, room);
  ASSERT_TRUE(beside[0] && beside[1]);
  EXPECT_EQ(beside[0]->left, 53) << "a mark stands at its right";
  EXPECT_EQ(beside[1]->left, 127);
  const auto at_the_edge = name_places({{390, 100, 40}}, plane, room);
  EXPECT_EQ(at_the_edge[0]->left, 343);
  EXPECT_FALSE(name_places({{100, 100, 900}}, plane, room)[0]) << "wider than the frame";
}

// Every name against every other and every mark, as nobody would do it in a frame.
TEST(PointPlane, NoNameLiesOnAnotherOrOnAMark) {
  std::mt19937 draw(3);
  const auto number = [&](double most) { return most * static_cast<double>(draw()) / 4294967295.0; };
  for (const std::size_t count : {60U, 390U, 900U}) {
    const PointPlane plane{0, 0, 900, 600};
    const NameRoom room{4, 7, 7};
    std::vector<NamedMark> marks;
    for (std::size_t i = 0; i < count; ++i) marks.push_back({number(900), number(600), 12 + number(60)});
    const auto places = name_places(marks, plane, room);
    std::size_t placed = 0;
    for (std::size_t a = 0; a < count; ++a) {
      if (!places[a]) continue;
      ++placed;
      for (std::size_t b = 0; b < count; ++b) {
        const bool on_name = b != a && places[b] && std::fabs(places[a]->middle - places[b]->middle) < 14 &&
                             places[a]->left < places[b]->left + marks[b].width &&
                             places[b]->left < places[a]->left + marks[a].width;
        EXPECT_FALSE(on_name) << a << " " << b;
        const bool on_mark = std::fabs(places[a]->middle - marks[b].y) < 11 && places[a]->left < marks[b].x + 4 &&
                             marks[b].x - 4 < places[a]->left + marks[a].width;
        EXPECT_FALSE(on_mark && count <= kMarksInTheWay) << a << " " << b;
      }
    }
    EXPECT_GT(placed, 40U);
  }
}

}  // namespace
}  // namespace headscope

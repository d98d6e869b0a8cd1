// Names beside the points of a plane: which, in which order, and that none hides another.
#include "core/picture/plot_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace headscope {
namespace {

constexpr PointPlane kFrame{0, 0, 500, 300};
constexpr NameRoom kRoom{4, 9, 7};

std::vector<NamedMark> scattered(std::size_t count) {
  std::mt19937 draw(3);
  const auto up_to = [&](unsigned most) { return static_cast<double>(draw() % (most * 8)) / 8; };
  std::vector<NamedMark> points;
  for (std::size_t k = 0; k < count; ++k) points.push_back({up_to(500), up_to(300), 24});
  return points;
}

std::vector<std::size_t> named(const std::vector<PlotName>& names) {
  std::vector<std::size_t> points;
  for (const PlotName& name : names) points.push_back(name.point);
  return points;
}

TEST(PlotNames, SixteenPointsInAnEmptyPlaneAllHaveOne) {
  std::vector<NamedMark> points;
  for (int k = 0; k < 16; ++k) points.push_back({40.0 + k % 4 * 120, 40.0 + k / 4 * 60, 24});
  EXPECT_EQ(plot_names(points, {}, kFrame, kRoom).size(), 16U);
}

TEST(PlotNames, TheFirstComeFirstThenTheFarthest) {
  // The mean is at 200, 150.
  const std::vector<NamedMark> points = {{210, 150, 24}, {20, 150, 24}, {300, 150, 24}, {270, 150, 24}};
  EXPECT_EQ(named(plot_names(points, {3}, kFrame, kRoom)), (std::vector<std::size_t>{3, 1, 2, 0}));
  // Two of one place: the first of them by its index has the better side.
  const auto same = plot_names({{100, 100, 24}, {100, 100, 24}}, {}, kFrame, kRoom);
  EXPECT_EQ(named(same), (std::vector<std::size_t>{0, 1}));
  EXPECT_GT(same[0].place.left, 100);
  EXPECT_LT(same[1].place.left, 100);
}

TEST(PlotNames, NoneLiesOnAnotherOrOnAPoint) {
  const std::vector<NamedMark> points = scattered(kMarksInTheWay);
  const auto names = plot_names(points, {}, kFrame, kRoom);
  EXPECT_GT(names.size(), 20U);
  EXPECT_LT(names.size(), points.size());
  for (std::size_t a = 0; a < names.size(); ++a) {
    const NamePlace& place = names[a].place;
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_TRUE(std::fabs(place.left - names[b].place.left) >= 24 ||
                  std::fabs(place.middle - names[b].place.middle) >= 14);
    }
    for (const NamedMark& point : points) {
      EXPECT_TRUE(point.x + 4 <= place.left || point.x - 4 >= place.left + 24 ||
                  std::fabs(point.y - place.middle) >= 11);
    }
  }
}

TEST(PlotNames, TheVeryFirstAlwaysHasOne) {
  std::vector<NamedMark> points;
  for (int k = 0; k < 100; ++k) points.push_back({200.0 + k % 10 * 9, 100.0 + k / 10 * 9, 24});
  const auto names = plot_names(points, {55, 44}, kFrame, kRoom);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front().point, 55U);
  for (const PlotName& name : names) EXPECT_NE(name.point, 44U) << "shut in on all sides";
  const auto at_the_edge = plot_names({{495, 2, 24}, {495, 2, 24}, {495, 20, 24}, {470, 2, 24}}, {0}, kFrame, kRoom);
  EXPECT_EQ(at_the_edge.front().point, 0U);
  EXPECT_LE(at_the_edge.front().place.left + 24, 500);
  EXPECT_GE(at_the_edge.front().place.middle, 7);
}

TEST(PlotNames, OfManyPointsOnlyTheFirstAreNamed) {
  const std::vector<NamedMark> points = scattered(36'000);
  EXPECT_TRUE(plot_names(points, {}, kFrame, kRoom).empty());
  EXPECT_EQ(named(plot_names(points, {35'000}, kFrame, kRoom)), std::vector<std::size_t>{35'000});
  std::vector<std::size_t> all(points.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  const auto names = named(plot_names(points, all, kFrame, kRoom));
  EXPECT_TRUE(std::all_of(names.begin(), names.end(), [](std::size_t point) { return point < kMarksInTheWay; }));
}

}  // namespace
}  // namespace headscope

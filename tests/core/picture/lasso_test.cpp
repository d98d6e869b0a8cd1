// The inside of a line drawn by hand, against the rule of odd crossings over all edges.
#include "core/picture/lasso.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace headscope {
namespace {

bool holds_by_all_edges(const std::vector<PlanePoint>& corners, PlanePoint point) {
  bool inside = false;
  for (std::size_t k = 0, last = corners.size() - 1; k < corners.size(); last = k++) {
    const PlanePoint &a = corners[k], &b = corners[last];
    const bool crosses = (a.y > point.y) != (b.y > point.y);
    if (crosses &&
        point.x < (static_cast<double>(b.x) - a.x) * (point.y - a.y) / (static_cast<double>(b.y) - a.y) + a.x)
      inside = !inside;
  }
  return inside;
}

TEST(Lasso, HoldsWhatASquareHolds) {
  const Lasso square({{10, 10}, {20, 10}, {20, 20}, {10, 20}});
  EXPECT_TRUE(square.holds({15, 15}));
  EXPECT_TRUE(square.holds({10.5f, 19.5f}));
  for (const PlanePoint out : {PlanePoint{9, 15}, {21, 15}, {15, 9}, {15, 21}}) EXPECT_FALSE(square.holds(out));
}

TEST(Lasso, ALineOfTwoCornersHoldsNothing) {
  EXPECT_FALSE(Lasso({}).holds({0, 0}));
  EXPECT_FALSE(Lasso({{0, 0}, {10, 0}}).holds({5, 0}));
  EXPECT_FALSE(Lasso({{0, 5}, {10, 5}, {20, 5}}).holds({5, 5})) << "no height";
  EXPECT_FALSE(Lasso({{0, 0}, {10, 0}, {5, 9}}).holds({5, NAN}));
}

TEST(Lasso, EveryPointIsAsOddCrossingsSay) {
  std::mt19937 draw(3);
  const auto upto = [&](float most) {
    return most * static_cast<float>(draw()) / static_cast<float>(std::mt19937::max());
  };
  for (const int corners : {3, 7, 40, 400}) {
    std::vector<PlanePoint> line;  // crosses itself
    for (int k = 0; k < corners; ++k) line.push_back({upto(500), upto(400)});
    const Lasso lasso(line);
    int inside = 0;
    for (int k = 0; k < 4'000; ++k) {
      const PlanePoint point{upto(500), upto(400)};
      EXPECT_EQ(lasso.holds(point), holds_by_all_edges(line, point)) << point.x << ", " << point.y;
      inside += lasso.holds(point) ? 1 : 0;
    }
    EXPECT_GT(inside, 0) << corners;
    EXPECT_LT(inside, 4'000) << corners;
  }
}

}  // namespace
}  // namespace headscope

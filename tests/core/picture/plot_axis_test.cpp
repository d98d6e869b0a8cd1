#include "core/picture/plot_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace headscope {
namespace {

TEST(PlotAxis, HasRoundTicksAroundTheValues) {
  const PlotAxis axis = plot_axis(0.07, 0.93, 6);
  EXPECT_EQ(axis.low, 0);
  EXPECT_NEAR(axis.high, 1, 1e-12);
  ASSERT_EQ(axis.ticks.size(), 6U);
  EXPECT_NEAR(axis.ticks[1], 0.2, 1e-12);
  EXPECT_NEAR(axis.share(0.5), 0.5, 1e-12);
}

TEST(PlotAxis, HoldsEveryRangeWithFewTicks) {
  for (const double low : {-1e9, -3.7, -1e-6, 0.0, 0.31, 12.0, 4e7}) {
    for (const double width : {1e-3, 0.4, 1.0, 7.3, 90.0, 1e6}) {
      for (const int most : {3, 5, 9}) {
        const PlotAxis axis = plot_axis(low, low + width, most);
        const double near = width * 1e-6 + std::fabs(low) * 1e-15;  // doubles have no more digits
        EXPECT_LE(axis.low, low + near);
        EXPECT_GE(axis.high, low + width - near);
        EXPECT_LE(axis.ticks.size(), static_cast<std::size_t>(most)) << low << " " << width;
        EXPECT_GE(axis.ticks.size(), 2U);
      }
    }
  }
}

TEST(PlotAxis, EqualAndInfiniteEndsHaveARange) {
  for (const auto& [low, high] : {std::pair{3.0, 3.0}, {0.0, std::numeric_limits<double>::infinity()}, {NAN, 1.0}}) {
    const PlotAxis axis = plot_axis(low, high, 5);
    EXPECT_TRUE(axis.high > axis.low);
    EXPECT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high));
  }
}

PlotSpec spec_of(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& color) {
  return {x, y, color, plot_axis(0, 1, 5), plot_axis(0, 1, 5), 0, 1, 100, 100};
}

TEST(PlotPoints, LieWhereTheirValuesAre) {
  const std::vector<double> x = {0, 1, 0.25}, y = {0, 0.5, 1}, color = {0, 1, NAN};
  const PlotPoints plot = plot_points(spec_of(x, y, color));
  const std::vector<PlotPoint> wanted = {{0, 100, 0, 0}, {100, 50, 255, 1}, {25, 0, -1, 2}};
  EXPECT_EQ(plot.points, wanted);
}

TEST(PlotPoints, UndefinedAndCoveredOnesAreCounted) {
  const std::vector<double> x = {0.5, 0.501, NAN, 0.2}, y = {0.5, 0.5, 0.1, INFINITY}, color(4, 0.0);
  const PlotPoints plot = plot_points(spec_of(x, y, color));
  ASSERT_EQ(plot.points.size(), 1U);
  EXPECT_EQ(plot.points[0].index, 1U) << "the later one lies above";
  EXPECT_EQ(plot.undefined, 2U);
  EXPECT_EQ(plot.covered, 1U);
}

TEST(PlotPoints, TheNearestIsFound) {
  const std::vector<double> x = {0.1, 0.5, 0.5}, y = {0.1, 0.5, 0.6}, color(3, 0.0);
  const PlotPoints plot = plot_points(spec_of(x, y, color));
  EXPECT_EQ(nearest_point(plot, 12, 88, 8), 0U);
  EXPECT_EQ(nearest_point(plot, 50, 48, 8), 1U);
  EXPECT_EQ(nearest_point(plot, 50, 42, 8), 2U);
  EXPECT_EQ(nearest_point(plot, 90, 90, 8), std::nullopt);
}

}  // namespace
}  // namespace headscope

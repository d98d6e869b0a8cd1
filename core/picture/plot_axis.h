// Points in a plane: an axis with round ticks, and where many points lie on pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace headscope {

// Covers [low, high] from tick to tick; steps are 1, 2 or 5 times a power of ten.
struct PlotAxis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  // The share of the axis at `value`: 0 at low, 1 at high.
  double share(double value) const { return (value - low) / (high - low); }
};

// At most `most` ticks (2 or more), both ends included. An axis for equal or infinite ends is that of [low, low + 1],
// or of [0, 1].
PlotAxis plot_axis(double low, double high, int most);

// A point to draw: pixels from the left and from the top of the plot, entry 0 to 255 of the colour table; -1: its
// colour's value is undefined.
struct PlotPoint {
  float x = 0, y = 0;
  std::int32_t shade = 0;
  std::uint32_t index = 0;  // of the values
  friend bool operator==(const PlotPoint&, const PlotPoint&) = default;
};

struct PlotSpec {
  std::span<const double> x, y, color;  // equally many
  PlotAxis x_axis, y_axis;
  double color_low = 0, color_high = 1;
  double width = 0, height = 0;  // pixels
};

struct PlotPoints {
  std::vector<PlotPoint> points;  // in the order of the values: later ones lie above
  std::size_t undefined = 0;      // without a finite x or y: not in `points`
  std::size_t covered = 0;        // at the pixel of a later one, which hides it: not in `points`
};

// Work and memory grow with the number of points, not with pixels.
PlotPoints plot_points(const PlotSpec& spec);

// The point nearest to a pixel, at most `within` pixels from it; of equally near ones the last. nullopt: none.
std::optional<std::uint32_t> nearest_point(const PlotPoints& plot, float x, float y, float within);

}  // namespace headscope

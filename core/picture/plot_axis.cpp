#include "core/picture/plot_axis.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace headscope {
namespace {

// The least of 1, 2, 5 times a power of ten that is at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::int32_t shade_of(double value, double low, double high) {
  if (!std::isfinite(value)) return -1;
  if (!(high > low)) return 0;
  return static_cast<std::int32_t>(std::clamp((value - low) / (high - low), 0.0, 1.0) * 255 + 0.5);
}

}  // namespace

PlotAxis plot_axis(double low, double high, int most) {
  if (!std::isfinite(low) || !std::isfinite(high)) low = 0, high = 1;
  // Ends so near that no tick lies between them as a double are equal, too.
  if (!(high - low > std::max(std::fabs(low), std::fabs(high)) * 1e-12)) high = low + 1;
  const int intervals = std::max(1, most - 1);
  PlotAxis axis;
  double step = round_step((high - low) / intervals);
  double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  while (last - first > intervals) {
    step = round_step(step * 1.5);
    first = std::floor(low / step + 1e-9);
    last = std::ceil(high / step - 1e-9);
    if (last - first <= 2) break;  // two ticks do not always suffice where 0 lies between the ends
  }
  axis.low = first * step;
  axis.high = last * step;
  for (double k = first; k <= last; k += 1) axis.ticks.push_back(k * step);
  return axis;
}

PlotPoints plot_points(const PlotSpec& spec) {
  PlotPoints plot;
  std::unordered_set<std::uint64_t> taken;
  plot.points.reserve(spec.x.size());
  taken.reserve(spec.x.size());
  for (std::size_t k = spec.x.size(); k-- > 0;) {
    if (!std::isfinite(spec.x[k]) || !std::isfinite(spec.y[k])) {
      ++plot.undefined;
      continue;
    }
    const double x = spec.x_axis.share(spec.x[k]) * spec.width, y = (1 - spec.y_axis.share(spec.y[k])) * spec.height;
    const auto pixel = static_cast<std::uint64_t>(std::llround(x) & 0xFFFFFFFF) << 32 |
                       static_cast<std::uint64_t>(std::llround(y) & 0xFFFFFFFF);
    if (!taken.insert(pixel).second) {
      ++plot.covered;
      continue;
    }
    plot.points.push_back({static_cast<float>(x), static_cast<float>(y),
                           shade_of(spec.color[k], spec.color_low, spec.color_high), static_cast<std::uint32_t>(k)});
  }
  std::reverse(plot.points.begin(), plot.points.end());
  return plot;
}

std::optional<std::uint32_t> nearest_point(const PlotPoints& plot, float x, float y, float within) {
  std::optional<std::uint32_t> nearest;
  float best = within * within;
  for (const PlotPoint& point : plot.points) {
    const float dx = point.x - x, dy = point.y - y, square = dx * dx + dy * dy;
    if (square > best) continue;
    best = square;
    nearest = point.index;
  }
  return nearest;
}

}  // namespace headscope

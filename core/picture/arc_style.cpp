#include "core/picture/arc_style.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace headscope {

ArcStyle arc_style(double weight, ArcTone tone, double row_height) {
  const double w = std::clamp(weight, 0.0, 1.0), slim = std::clamp(row_height / 28, 0.25, 1.0);
  switch (tone) {
    case ArcTone::plain:
      return {slim * (0.6 + 4.4 * w), 0.15 + 0.75 * w};
    case ArcTone::bright:
      return {slim * (1.0 + 5.0 * w), 0.45 + 0.55 * w};
    case ArcTone::dim:
      return {slim * (0.6 + 1.9 * w), 0.03 + 0.17 * w};
  }
  return {};
}

double arc_offset(std::int64_t k, std::int64_t heads, double row_height) {
  if (heads < 2) return 0;
  const double spacing = std::min(3.0, row_height / 3 / static_cast<double>(heads - 1));
  return (static_cast<double>(k) - static_cast<double>(heads - 1) / 2) * spacing;
}

std::vector<ArcPlace> places_side_by_side(const std::vector<Arc>& arcs, double row_height) {
  constexpr double kWidest = 8, kShareOfRow = 0.85;
  std::vector<std::size_t> by_head(arcs.size());
  std::iota(by_head.begin(), by_head.end(), std::size_t{0});
  std::sort(by_head.begin(), by_head.end(), [&](std::size_t a, std::size_t b) { return arcs[a].head < arcs[b].head; });
  const auto weight = [&](std::size_t k) { return std::clamp(static_cast<double>(arcs[k].weight), 0.0, 1.0); };
  std::map<std::pair<std::int64_t, std::int64_t>, double> sums;  // of the weights between two tokens
  double largest = 0;
  for (const std::size_t k : by_head) {
    double& sum = sums[{arcs[k].query, arcs[k].key}];
    sum += weight(k);
    largest = std::max(largest, sum);
  }
  const double unit = largest > 0 ? std::min(kWidest, kShareOfRow * row_height / largest) : kWidest;
  std::vector<ArcPlace> places(arcs.size());
  std::map<std::pair<std::int64_t, std::int64_t>, double> pens;  // where the next arc of two tokens begins
  for (const std::size_t k : by_head) {
    const std::pair between{arcs[k].query, arcs[k].key};
    double& pen = pens.try_emplace(between, -unit * sums[between] / 2).first->second;
    const double width = unit * weight(k);
    places[k] = {pen + width / 2, width};
    pen += width;
  }
  return places;
}

}  // namespace headscope

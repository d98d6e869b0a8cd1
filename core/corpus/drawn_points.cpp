#include "core/corpus/drawn_points.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

// Where a point of the sum comes from.
struct PointSource {
  bool is_added;
  std::size_t index;
};

std::vector<PointSource> first_points(std::span<const PointPlace> held, std::span<const PointPlace> added,
                                      std::size_t most) {
  std::vector<PointSource> order;
  std::size_t a = 0, b = 0;
  while (order.size() < most && (a < held.size() || b < added.size())) {
    const bool takes_added = a == held.size() || (b < added.size() && is_point_before(added[b], held[a]));
    order.push_back({takes_added, takes_added ? b++ : a++});
  }
  return order;
}

}  // namespace

bool is_point_before(const PointPlace& a, const PointPlace& b) {
  const std::uint64_t x = draw_of(a.phrase, a.position), y = draw_of(b.phrase, b.position);
  return std::tie(x, a.phrase, a.position) < std::tie(y, b.phrase, b.position);
}

void add_drawn(const DrawnPoints& to, std::span<const PointPlace> places, std::span<const HeadRecord> added,
               std::int64_t most) {
  const std::vector<PointSource> order = first_points(to.held, places, static_cast<std::size_t>(most));
  if (std::none_of(order.begin(), order.end(), [](const PointSource& from) { return from.is_added; })) return;
  for (std::size_t h = 0; h < to.heads.size(); ++h) {
    for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
      HeadVectors& held = to.heads[h].vectors[kind];
      const auto size = static_cast<std::size_t>(held.size());
      std::vector<float> points;
      points.reserve(order.size() * size);
      for (const PointSource& from : order) {
        const std::vector<float>& source = from.is_added ? added[h].vectors[kind].points : held.points;
        const float* row = source.data() + from.index * size;
        points.insert(points.end(), row, row + size);
      }
      held.points = std::move(points);
    }
  }
  std::vector<PointPlace> kept;
  kept.reserve(order.size());
  for (const PointSource& from : order) kept.push_back(from.is_added ? places[from.index] : to.held[from.index]);
  to.held = std::move(kept);
}

}  // namespace headscope

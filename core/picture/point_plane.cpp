#include "core/picture/point_plane.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace headscope {
namespace {

constexpr double kMargin = 1.12;  // of the extents, so that no mark touches the frame

PlaneExtent extent_along(const QueryKeyScatter& scatter, double ScatterPoint::*axis) {
  PlaneExtent extent;
  for (const auto* points : {&scatter.queries, &scatter.keys}) {
    for (const ScatterPoint& point : *points) {
      if (std::isnan(point.*axis)) continue;
      extent.low = std::min(extent.low, point.*axis);
      extent.high = std::max(extent.high, point.*axis);
    }
  }
  return extent;
}

// 1, 2 or 5 times a power of ten, at least `spacing` pixels long.
double tick_step(double scale, double spacing) {
  const double least = spacing / scale, power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= least) return times * power;
  }
  return 10 * power;
}

std::vector<double> plane_ticks(double middle, double half, double step) {
  std::vector<double> ticks;
  for (double k = std::ceil((middle - half) / step); k * step <= middle + half; ++k) ticks.push_back(k * step);
  return ticks;
}

struct TakenBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool meets(const TakenBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// Boxes that are taken, found by the squares of the plane that they touch.
class TakenBoxes {
 public:
  explicit TakenBoxes(double side) : side_(side) {}
  void add(const TakenBox& box) {
    visit(box, [&](std::uint64_t square) { return squares_[square].push_back(box), false; });
  }
  bool meet(const TakenBox& box) {
    return visit(box, [&](std::uint64_t square) {
      const auto found = squares_.find(square);
      return found != squares_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                    [&](const TakenBox& other) { return box.meets(other); });
    });
  }

 private:
  // Whether `stops` is true of one of the squares.
  template <typename Stops>
  bool visit(const TakenBox& box, const Stops& stops) {
    const auto square = [&](double at) { return static_cast<std::int32_t>(std::floor(at / side_)); };
    for (std::int32_t y = square(box.top); y <= square(box.bottom); ++y) {
      for (std::int32_t x = square(box.left); x <= square(box.right); ++x) {
        const auto key =
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(y)) << 32 | static_cast<std::uint32_t>(x);
        if (stops(key)) return true;
      }
    }
    return false;
  }
  double side_;
  std::unordered_map<std::uint64_t, std::vector<TakenBox>> squares_;
};

}  // namespace

PlaneExtents plane_extents(const QueryKeyScatter& scatter) {
  return {extent_along(scatter, &ScatterPoint::x), extent_along(scatter, &ScatterPoint::y)};
}

PointPlane point_plane(const PlaneExtents& extents, double x, double y, double width, double height) {
  PointPlane plane{x, y, width, height};
  plane.scale = std::min(width / (extents.x.length() * kMargin), height / (extents.y.length() * kMargin));
  plane.middle_x = (extents.x.low + extents.x.high) / 2;
  plane.middle_y = (extents.y.low + extents.y.high) / 2;
  return plane;
}

std::vector<double> ticks_across(const PointPlane& plane, double spacing) {
  return plane_ticks(plane.middle_x, plane.width / 2.0 / plane.scale, tick_step(plane.scale, spacing));
}

std::vector<double> ticks_upwards(const PointPlane& plane, double spacing) {
  return plane_ticks(plane.middle_y, plane.height / 2.0 / plane.scale, tick_step(plane.scale, spacing));
}

std::vector<std::optional<NamePlace>> name_places(const std::vector<NamedMark>& marks, const PointPlane& plane,
                                                  const NameRoom& room) {
  TakenBoxes taken(std::max(8.0, 4 * room.half_height));
  if (marks.size() <= kMarksInTheWay) {
    const double half = room.half_mark;
    for (const NamedMark& mark : marks) taken.add({mark.x - half, mark.y - half, mark.x + half, mark.y + half});
  }
  std::vector<std::optional<NamePlace>> places(marks.size());
  const double away = room.away, half = room.half_height;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const NamedMark& mark = marks[i];
    const double centred = mark.x - mark.width / 2;
    const NamePlace beside[] = {{mark.x + away, mark.y},
                                {mark.x - away - mark.width, mark.y},
                                {centred, mark.y - away - half},
                                {centred, mark.y + away + half}};
    for (const NamePlace& place : beside) {
      const TakenBox box{place.left, place.middle - half, place.left + mark.width, place.middle + half};
      const bool inside = box.left >= plane.x && box.right <= plane.x + plane.width && box.top >= plane.y &&
                          box.bottom <= plane.y + plane.height;
      if (!inside || taken.meet(box)) continue;
      taken.add(box);
      places[i] = place;
      break;
    }
  }
  return places;
}

}  // namespace headscope

#include "core/picture/plot_names.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace headscope {
namespace {

// All but those that are named before, the farthest from the mean of all first.
void add_others(std::vector<std::size_t>& order, const std::vector<NamedMark>& points) {
  std::vector<bool> has(points.size());
  for (const std::size_t point : order) has[point] = true;
  double x = 0, y = 0;
  for (const NamedMark& point : points) {
    x += point.x / static_cast<double>(points.size());
    y += point.y / static_cast<double>(points.size());
  }
  const auto away = [&](std::size_t point) {
    const double right = points[point].x - x, down = points[point].y - y;
    return right * right + down * down;
  };
  const auto begin = static_cast<std::ptrdiff_t>(order.size());
  for (std::size_t point = 0; point < points.size(); ++point) {
    if (!has[point]) order.push_back(point);
  }
  std::stable_sort(order.begin() + begin, order.end(), [&](std::size_t a, std::size_t b) { return away(a) > away(b); });
}

// At the right of the point, or at its left where the frame ends, on whatever lies there.
NamePlace place_anyway(const NamedMark& point, const PointPlane& frame, const NameRoom& room) {
  const double right = point.x + room.away;
  const bool fits = right + point.width <= frame.x + frame.width;
  const double top = frame.y + room.half_height, bottom = frame.y + frame.height - room.half_height;
  return {fits ? right : point.x - room.away - point.width, std::max(top, std::min(point.y, bottom))};
}

// Puts the name of `point` first, and takes away those that it would lie on.
void name_anyway(std::vector<PlotName>& names, const std::vector<NamedMark>& points, std::size_t point,
                 const PointPlane& frame, const NameRoom& room) {
  const NamePlace place = place_anyway(points[point], frame, room);
  std::erase_if(names, [&](const PlotName& name) {
    return std::fabs(name.place.middle - place.middle) < 2 * room.half_height &&
           name.place.left < place.left + points[point].width &&
           place.left < name.place.left + points[name.point].width;
  });
  names.insert(names.begin(), {point, place});
}

}  // namespace

std::vector<PlotName> plot_names(const std::vector<NamedMark>& points, const std::vector<std::size_t>& first,
                                 const PointPlane& frame, const NameRoom& room) {
  std::vector<std::size_t> order = first;
  if (points.size() <= kMarksInTheWay) {
    add_others(order, points);
  } else if (order.size() > kMarksInTheWay) {
    order.resize(kMarksInTheWay);
  }
  std::vector<NamedMark> marks;
  for (const std::size_t point : order) marks.push_back(points[point]);
  const auto places = name_places(marks, frame, room);
  std::vector<PlotName> names;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (places[k]) names.push_back({order[k], *places[k]});
  }
  if (!first.empty() && !places.front()) name_anyway(names, points, first.front(), frame, room);
  return names;
}

}  // namespace headscope

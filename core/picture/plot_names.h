// Which points of a plane get a name beside them, and where.
#pragma once

#include <cstddef>
#include <vector>

#include "core/picture/point_plane.h"

namespace headscope {

// The name of point `point` of those that were given.
struct PlotName {
  std::size_t point = 0;
  NamePlace place;
};

// As many names as fit without one lying on another, or on a point, from the most important on: those of `first`, in
// that order, then those of the other points, the farthest from the mean of all first, at equal ones in their own
// order. Of more points than kMarksInTheWay (point_plane.h) only those of `first` are named, and only so many of them;
// the others are not in the way then. The very first of `first` always has one, at the
// worst over a point. `points`: the middle of each and the width of its name, pixels; `first`: each at
// most once. In the order in which they were placed.
std::vector<PlotName> plot_names(const std::vector<NamedMark>& points, const std::vector<std::size_t>& first,
                                 const PointPlane& frame, const NameRoom& room);

}  // namespace headscope

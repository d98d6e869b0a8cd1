// The queries and keys of a head on a plane with one scale for both axes: places, round ticks, names beside the marks.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/heads/query_key_scatter.h"

namespace headscope {

struct PlaneExtent {
  double low = 0, high = 0;
  double length() const { return high > low ? high - low : 1; }
};

// Of queries and keys together; the mean, 0, is always inside. Points that are not finite count for nothing.
struct PlaneExtents {
  PlaneExtent x, y;
};
PlaneExtents plane_extents(const QueryKeyScatter& scatter);

// From coordinates to pixels: the middle of the extents lies in the middle of the frame, y grows upwards.
struct PointPlane {
  double x = 0, y = 0, width = 0, height = 0;  // of the frame, pixels
  double scale = 1;                            // pixels a unit, of both axes
  double middle_x = 0, middle_y = 0;           // units
  double at_x(double value) const { return x + width / 2.0 + (value - middle_x) * scale; }
  double at_y(double value) const { return y + height / 2.0 - (value - middle_y) * scale; }
};

// The largest scale with which the extents, and a margin that keeps marks off the frame, fit.
PointPlane point_plane(const PlaneExtents& extents, double x, double y, double width, double height);

// Ticks of an axis: multiples of 1, 2 or 5 times a power of ten, at least `spacing` pixels from each other.
std::vector<double> ticks_across(const PointPlane& plane, double spacing);
std::vector<double> ticks_upwards(const PointPlane& plane, double spacing);

// A mark whose name is to stand beside it: the middle of the mark and the width of the name, pixels.
struct NamedMark {
  double x = 0, y = 0, width = 0;
};

// All in pixels.
struct NameRoom {
  double half_mark = 4;    // of a mark's side
  double away = 7;         // from the middle of a mark to its name
  double half_height = 7;  // of a name
};

// Where a name stands: its left end, and the middle of its line.
struct NamePlace {
  double left = 0, middle = 0;
};

// Of more marks than this, names may lie over marks.
inline constexpr std::size_t kMarksInTheWay = 400;

// Of every mark, in this order: right, left, above or below of it, the first place that is inside the frame and where
// neither a name before nor a mark lies. nullopt: there is none.
std::vector<std::optional<NamePlace>> name_places(const std::vector<NamedMark>& marks, const PointPlane& plane,
                                                  const NameRoom& room);

}  // namespace headscope

// A line that is drawn by hand around points of a plane.
#pragma once

#include <cstddef>
#include <vector>

namespace headscope {

struct PlanePoint {
  float x = 0, y = 0;
  friend bool operator==(const PlanePoint&, const PlanePoint&) = default;
};

// The inside of a line that is closed from its last corner to its first: points from which a ray crosses it an odd
// number of times. Edges lie in bands of y, so that a point is compared with few of them.
class Lasso {
 public:
  explicit Lasso(std::vector<PlanePoint> corners);

  // Never with fewer than three corners.
  bool holds(PlanePoint point) const;

 private:
  std::size_t band_of(float y) const;

  std::vector<PlanePoint> corners_;
  float low_ = 0, high_ = 0;                     // of y
  std::vector<std::vector<std::size_t>> bands_;  // edges by their first corner
};

}  // namespace headscope

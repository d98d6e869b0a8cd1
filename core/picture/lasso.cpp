#include "core/picture/lasso.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kBands = 128;

}  // namespace

Lasso::Lasso(std::vector<PlanePoint> corners) : corners_(std::move(corners)) {
  if (corners_.size() < 3) return;
  const auto by_y = [](const PlanePoint& a, const PlanePoint& b) { return a.y < b.y; };
  const auto [low, high] = std::minmax_element(corners_.begin(), corners_.end(), by_y);
  low_ = low->y;
  high_ = high->y;
  bands_.resize(kBands);
  for (std::size_t k = 0; k < corners_.size(); ++k) {
    const float a = corners_[k].y, b = corners_[(k + 1) % corners_.size()].y;
    for (std::size_t band = band_of(std::min(a, b)); band <= band_of(std::max(a, b)); ++band) {
      bands_[band].push_back(k);
    }
  }
}

std::size_t Lasso::band_of(float y) const {
  if (!(high_ > low_)) return 0;
  const float share = std::clamp((y - low_) / (high_ - low_), 0.0f, 1.0f);
  return std::min(static_cast<std::size_t>(share * static_cast<float>(kBands)), kBands - 1);
}

bool Lasso::holds(PlanePoint point) const {
  if (bands_.empty() || !(point.y >= low_ && point.y <= high_)) return false;
  bool inside = false;
  for (const std::size_t k : bands_[band_of(point.y)]) {
    const PlanePoint &a = corners_[k], &b = corners_[(k + 1) % corners_.size()];
    if ((a.y > point.y) == (b.y > point.y)) continue;
    // In doubles, as with all edges at once.
    const double share = (static_cast<double>(point.y) - a.y) / (static_cast<double>(b.y) - a.y);
    if (point.x < a.x + share * (static_cast<double>(b.x) - a.x)) inside = !inside;
  }
  return inside;
}

}  // namespace headscope

#include "app/gl/compute_parts.h"

#include "core/base/error.h"

namespace headscope {
namespace {

void add_parts(const Region& region, const std::function<bool(const Region&)>& fits, std::vector<Region>& parts) {
  if (fits(region)) {
    parts.push_back(region);
    return;
  }
  for (int axis = 0; axis < region.count; ++axis) {
    if (region[axis].size() < 2) continue;
    Region first = region, second = region;
    first[axis].end = second[axis].begin = region[axis].begin + region[axis].size() / 2;
    add_parts(first, fits, parts);
    add_parts(second, fits, parts);
    return;
  }
  throw Error("One row of this request is larger than a buffer of the graphics device may be.");
}

}  // namespace

std::vector<Region> parts_of(const Region& all, const std::function<bool(const Region&)>& fits) {
  std::vector<Region> parts;
  if (element_count(all) > 0) add_parts(all, fits, parts);
  return parts;
}

}  // namespace headscope

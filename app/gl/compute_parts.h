// Cuts a step of the computation into pieces that the device can hold.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/tensor/shape.h"

namespace headscope {

struct ComputeLimits {
  std::int64_t numbers_per_buffer = 0;  // of four bytes
  double products_per_dispatch = 0;     // some systems reset a driver that is busy too long; a dispatch cannot be
                                        // cancelled
};

// Cuts `all` into pieces that fit, in row-major order: a piece that does not fit is halved along its slowest axis of
// size above 1. Throws Error when a single cell does not fit.
std::vector<Region> parts_of(const Region& all, const std::function<bool(const Region&)>& fits);

// The heads of a piece of [batch, heads, ...] and the kv heads (groups) that they use: head h uses group h /
// heads_per_group.
struct HeadGroups {
  std::int64_t first_head = 0, heads = 1;
  std::int64_t heads_per_group = 1;
  std::int64_t first_group() const { return first_head / heads_per_group; }
  std::int64_t groups() const { return (first_head + heads - 1) / heads_per_group - first_group() + 1; }
  Range group_range() const { return {first_group(), first_group() + groups()}; }
};

}  // namespace headscope

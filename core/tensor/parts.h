// How many parts of a size cover a count, and the count that they cover.
#pragma once

#include <cstdint>

namespace headscope {

// ceil(count / part): the parts of at most `part` that `count` is cut into. count >= 0, part > 0.
constexpr std::int64_t parts_over(std::int64_t count, std::int64_t part) {
  return (count + part - 1) / part;
}

// The least multiple of `step` that is at least `count`.
constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t step) {
  return parts_over(count, step) * step;
}

}  // namespace headscope

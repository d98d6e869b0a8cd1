// The numbers that are not finite, by short names.
#pragma once

#include <limits>

namespace headscope {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace headscope

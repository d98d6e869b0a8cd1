#include "core/picture/blend.h"

#include <cmath>
#include <cstdint>

namespace headscope {

void blend_over(Rgba& ground, Rgba color, double coverage) {
  const double share = coverage * color.a / 255;
  if (ground.a < 255) {  // straight alpha: what is not there has no colour of its own
    const double below = (1 - share) * ground.a / 255, together = share + below;
    if (together <= 0) return;
    const auto weighed = [&](std::uint8_t under, std::uint8_t over) {
      return static_cast<std::uint8_t>(std::lround((share * over + below * under) / together));
    };
    ground = {weighed(ground.r, color.r), weighed(ground.g, color.g), weighed(ground.b, color.b),
              static_cast<std::uint8_t>(std::lround(together * 255))};
    return;
  }
  const auto mixed = [share](std::uint8_t below, std::uint8_t above) {
    return static_cast<std::uint8_t>(std::lround(below + share * (above - below)));
  };
  ground.r = mixed(ground.r, color.r);
  ground.g = mixed(ground.g, color.g);
  ground.b = mixed(ground.b, color.b);
}

}  // namespace headscope

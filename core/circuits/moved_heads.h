// Which heads of a layer stand at another place in another model.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/circuits/head_maps.h"
#include "core/circuits/maps_apart.h"

namespace headscope {

// Head `from` of A stands at `to` in B.
struct MovedHead {
  std::int64_t from = 0, to = 0;
  MapsApart apart;  // of these two
  friend bool operator<(const MovedHead& a, const MovedHead& b) { return a.to < b.to; }
};

// Heads of A and B that have changed places among themselves, by `to`; none where the heads stand where they stood. A
// head has moved where its maps, with the key and value of its group, are nearest to those of another place in both
// directions, and there at most a quarter as far apart (MapsApart::largest()) as B's head of that place is from A's.
// `in_place`: maps_apart() of every head with itself. Which place is nearest is estimated by what the maps make of a
// few fixed vectors, in time of heads^2 d_model; what is found is then held to maps_apart(). Throws Cancelled.
std::vector<MovedHead> moved_heads(const HeadMaps& a, const HeadMaps& b, const std::vector<MapsApart>& in_place,
                                   const CancelToken& cancel);

}  // namespace headscope

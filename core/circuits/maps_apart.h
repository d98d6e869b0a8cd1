// How far the maps of a head of one model are from those of a head of another.
#pragma once

#include <cstdint>

#include "core/circuits/head_maps.h"

namespace headscope {

// Frobenius norms of products [d_model, d_model], none of which is made:
//   qk  |QK_A - QK_B| / |QK_A|, QK = W_Q^T W_K: what the scores of two equal positions are made of
//   ov  |OV_A - OV_B| / |OV_A|, OV = W_O W_V: what a position that is looked at adds to the stream
// 0 where both maps are the same, infinite where A's is 0 and B's is not, NaN where a number is not finite. Neither
// sees how the features within a head are numbered or turned: rows that change places in W_Q and W_K alike leave QK as
// it is.
struct MapsApart {
  double qk = 0, ov = 0;
  // The larger one; NaN where one of them is.
  double largest() const;
};

// Of head `head_a` of A and head `head_b` of B, each with the key and the value of its group. Asserts that d_model, the
// features of a head and those of its value are as many in both. In double; equal weights give exactly 0.
MapsApart maps_apart(const HeadMaps& a, std::int64_t head_a, const HeadMaps& b, std::int64_t head_b);

}  // namespace headscope

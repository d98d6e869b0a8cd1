// Which heads read what earlier heads write: composition scores, from weights alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/circuits/composition_kind.h"
#include "core/circuits/head_maps.h"

namespace headscope {

struct Composition {
  std::int64_t layers = 0, heads = 0;
  // What random matrices have: the root of the mean of score^2 over independent matrices whose entries are normal and
  // independent, 1 / sqrt(HeadMaps::dimensions), for any shape of the maps.
  double random = 0;
  // By CompositionKind, [layers * heads, layers * heads]: row l * heads + h of the head that reads, column of the head
  // that writes; 0 where that one is of the same layer or a later one.
  std::array<Tensor, 3> scores;
  const Tensor& of(CompositionKind kind) const { return scores[static_cast<std::size_t>(kind)]; }
};

// With QK = W_Q^T W_K and OV = W_O W_V [d_model, d_model] of a head, and Frobenius norms, of a head 2 and a head 1 of
// an earlier layer (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits")
//   query  |QK_2^T OV_1| / (|QK_2| |OV_1|)
//   key    |QK_2 OV_1| / (|QK_2| |OV_1|)
//   value  |OV_2 OV_1| / (|OV_2| |OV_1|)
// and 0 where a head's maps are all 0. No product of d_model by d_model is made: with W^T = Q R (Q orthonormal) is
// |W^T X| = |R X|, so that of each pair the product of R_Q W_K (or R_K W_Q, R_O W_V) and W_O R_V^T is left, head_dim by
// head_dim. R in double; the products in float32 by the backend, with the same bits on any number of threads; norms in
// double. `maps_of` gives the maps of a layer, once; `progress` gets layers done and their number, and may be empty.
// Throws Cancelled.
Composition composition(std::int64_t layers, const std::function<HeadMaps(std::int64_t layer)>& maps_of,
                        const Backend& backend, const CancelToken& cancel,
                        const std::function<void(std::int64_t done, std::int64_t count)>& progress = {});

// A pair of heads and its score.
struct ComposedPair {
  std::int64_t layer = 0, head = 0, from_layer = 0, from_head = 0;
  double score = 0;
};

// The `most` pairs of largest score, the largest first, of equal ones the first by layer, head, and what they read.
std::vector<ComposedPair> strongest_pairs(const Composition& found, CompositionKind kind, std::size_t most);

}  // namespace headscope

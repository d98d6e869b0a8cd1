// Two whole models beside each other: how far every head of every layer of A is from that of B, by its weights and by
// what it does with the text; which heads have changed places, and where the models begin to differ.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// Shares of A's size, |A - B| / |A| with Frobenius norms: 0 where both are the same, infinite where A is 0 and B is
// not.
//   weights  attention weights of the head, over all batch items, on the tokens that both have
//   context  the head's rows of context, likewise
//   qk, ov   W_Q^T W_K and W_O W_V of the head, as circuits/maps_apart says, with the norms around attention folded in;
//            biases, rotary and relative positions and norms of single heads are left out
// nullopt: weights and context where no token stands in both, or where the stage is too large to be read
// (stage_pairs.h), qk and ov where heads are no linear map of the stream (latents, decoders beside an encoder).
struct HeadShares {
  std::optional<double> weights, context, qk, ov;
  // The largest of those that are there; infinite where one is NaN.
  double largest() const;
};

struct LayerDifference {
  std::vector<HeadShares> heads;  // head h of A beside head h of B
  // Head `from` of A stands at `to` in B (circuits/moved_heads): by `to`, with how far these two are apart.
  struct Moved {
    std::int64_t from = 0, to = 0;
    HeadShares shares;
  };
  std::vector<Moved> moved;
};

struct HeadPlace {
  std::int64_t layer = 0, head = 0;
  friend bool operator==(const HeadPlace&, const HeadPlace&) = default;
};

struct ModelDifference {
  // Why there is no map of heads, as a sentence: "A has 4 layers, B 5"; "" where there is one, and where neither is a
  // whole model.
  std::string missing;
  bool whole_models = false;            // whether either is one
  std::vector<LayerDifference> layers;  // empty without a map
  // The first layer, and in it the first head, that differs by more than rounding: by qk or ov (1e-5), and by weights
  // or context (1e-4). nullopt where none does, or where nothing can be said.
  std::optional<HeadPlace> first_by_maps, first_on_text;
};

// Of two models with equally many layers, heads and features of a head, which were computed whole. `progress` gets
// layers done and their number, and may be empty. `threads`: 0: all cores; the numbers do not depend on it. Throws
// Cancelled.
ModelDifference compare_models(const Trace& a, const Trace& b, int threads, const CancelToken& cancel,
                               const std::function<void(std::int64_t done, std::int64_t count)>& progress = {});

// "by its weights the first head that differs beyond rounding is head 2 of layer 0 (qk 0.5, ov 0); on this text the
// first that differs is head 0 of layer 1 (weights 0.02, context 0.3)"; "" without a map.
std::string divergence_sentence(const ModelDifference& found);

// "heads have moved in layer 0: heads 5, 2 of A are heads 2, 5 of B, ..."; "" where none have.
std::string moved_sentence(const ModelDifference& found, std::int64_t layer);

}  // namespace headscope

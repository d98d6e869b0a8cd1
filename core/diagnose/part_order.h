// Whether heads, or the features of each head, stand in another order in theirs than in ours, in every stage alike: a
// result that is right, written down otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct RotaryRule;
struct Trace;

struct PartOrder {
  // For each head of queries, and of keys and values, the one of theirs that it is; empty: the heads stand as ours do.
  std::vector<std::int64_t> heads, kv_heads;
  // For each feature of a head of queries and keys the one of theirs that it is; empty: the features stand as ours do.
  std::vector<std::int64_t> features;
  bool in_pairs = false;  // theirs has the two features beside each other that a position turns together

  // Names the order of the stage: "the heads in the order 2, 3, 0, 1" or "the features of each head in the order of
  // rotary pairs, as files of Meta and GGUF have them".
  std::string words(StageId stage) const;
  // Whether the order moves numbers of the stage.
  bool moves(StageId stage) const;
  friend bool operator==(const PartOrder&, const PartOrder&) = default;
};

// Where each feature of a head stands in theirs, where they have those in pairs that ours has in halves, or the other
// way round.
PartOrder other_features(const RotaryRule& rule, std::int64_t head_dim);

// The order that the numbers of theirs, in the shapes of ours, come nearest in. nullopt where they stand as ours do,
// where no other order comes near, and where stages disagree. It is asked by some rows of each stage: judge them all
// before you believe it. `sums_heads`: something is known in which heads are summed. Without it no order of heads is
// told, and an order of features only of both queries and keys, or where scores or what follows from them are given.
using NamedStage = std::pair<StageId, Tensor>;
std::optional<PartOrder> part_order(const Trace& ours, std::span<const NamedStage> theirs, bool sums_heads);

// The stage in the order of ours, [batch, heads, rows, columns] or [batch, rows, heads * features]; itself where the
// order does not move it.
Tensor in_own_order(const PartOrder& order, const Trace& ours, StageId stage, const Tensor& theirs);

}  // namespace headscope

// The layouts in which other code hands over a stage, and which of them its sizes allow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct LayoutReading {
  std::string as;         // "[batch, len, heads, features]"; "" for the stage's own layout
  Tensor tensor;          // in the stage's own layout
  bool averaged = false;  // the mean over heads, [batch, 1, queries, keys]
};

// Every way to read `theirs` as the stage, its own layout first. Of [batch, heads, len, features] also [batch, len,
// heads, features], [len, batch, heads, features], [batch * heads, len, features] and [batch, len, heads * features];
// of scores also [batch * heads, queries, keys], exchanged queries and keys, and the mean over heads [batch, queries,
// keys], as torch.nn.MultiheadAttention gives it; of rows also [batch * len, features] and [batch, len, heads,
// features]; of a fused projection fused_readings() too. Of a stage of all layers, [layers, batch, ...] or [batch,
// layers, ...], the layer of ours is read. Where ours has lengths, packed_readings() too. Where batch is 1 it may be
// missing. `layout`: of queries, keys, values and contexts "bhsd" and "bshd" allow that one alone; "": all. Empty where
// none fits.
std::vector<LayoutReading> layout_readings(const Trace& ours, StageId stage, const Tensor& theirs,
                                           std::string_view layout = "");

}  // namespace headscope

// The layouts in which files hold queries, keys and values, and which of them their sizes allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The files hold these, of any rank.
struct HeadArrays {
  Tensor query, key, value;
};

// How many heads the request says there are; 0: nothing.
struct HeadCounts {
  std::int64_t heads = 0, kv_heads = 0;
};

// A way to read all three, with their axes in the order [batch, heads, len, head_dim].
struct HeadReading {
  HeadsLayout layout = HeadsLayout::bhsd;  // that says so; automatic: none but that of a row of several heads does
  std::string as;                          // the axes of query in its file: "[batch, len, heads, head_dim]"
  HeadArrays arrays;
  bool usual = false;  // what files of so many axes are where nothing says otherwise
};

// Every reading that fits, the usual one first: of four axes [batch, heads, len, head_dim] and [batch, len, heads,
// head_dim]; of three [batch, len, heads * head_dim] and [batch * heads, len, head_dim], both where `counts` says how
// many heads there are, [heads, len, head_dim] and [len, heads, head_dim] of one sequence. `layout` allows those of its
// own alone; thd is [len, heads, head_dim]. A reading fits where batch, lengths and head_dim of the three agree, the
// queries have as many heads as `counts` says, and the key heads divide them. No axis of `found` is 0. With `any`,
// readings whose sizes do not agree are given as well. Readings that give the same tensors are one.
std::vector<HeadReading> head_readings(const HeadArrays& found, const HeadCounts& counts, HeadsLayout layout,
                                       bool any = false);

// [batch, len, heads, features] with the axes exchanged.
Tensor heads_first(const Tensor& tensor);

}  // namespace headscope

// Where the queries stand among the keys: what positional masks count i from.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/request/request.h"

namespace headscope {

// Request::past of `--past 0`: the queries begin at the first key, although keys of the past stand before the text's.
// Request::past is 0 where nothing is said, and then the length of --key-past.
constexpr std::int64_t kPastOfNone = -1;

// The diagonal d of p = i + d, the place of query i among the keys: key_len - query_len with --causal-align
// bottom-right, else --past. `key_len` counts the past's keys and not the key of bias_k.
inline std::int64_t diagonal_of(const Request& request, std::int64_t query_len, std::int64_t key_len) {
  if (request.causal_align == CausalAlign::bottom_right) return key_len - query_len;
  return std::max<std::int64_t>(request.past, 0);
}

}  // namespace headscope

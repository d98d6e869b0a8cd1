// What stands before the keys of inputs, and what a request is with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/head_rule.h"
#include "core/model/inputs.h"
#include "core/request/past.h"

namespace headscope {

// Null: nothing stands before the keys.
inline const Past* past_of(const Inputs& inputs) {
  return inputs.head_rule == nullptr ? nullptr : inputs.head_rule->past.get();
}

// The number of keys before the text's own, which key_len counts as well.
inline std::int64_t past_len(const Inputs& inputs) {
  const Past* past = past_of(inputs);
  return past == nullptr ? 0 : past->key.dim(2);
}

// The request where it says nothing of the queries' place: they begin after the keys of the past.
inline Request with_past(Request request, const Inputs& inputs) {
  if (request.past == 0) request.past = past_len(inputs);
  return request;
}

// See diagonal_of.
inline std::int64_t diagonal_of(const Request& request, const Inputs& inputs) {
  if (request.past != 0) return diagonal_of(request, inputs.query_len, inputs.key_len);
  return diagonal_of(with_past(request, inputs), inputs.query_len, inputs.key_len);
}

}  // namespace headscope

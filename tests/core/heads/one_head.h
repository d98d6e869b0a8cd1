// A trace with one head whose weights are given.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/attention/trace.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {

// A trace whose only head has these weights; `hidden` says which cells no query may see.
inline Trace head_of(std::int64_t query_len, std::int64_t key_len,
                     const std::function<double(std::int64_t, std::int64_t)>& weight,
                     const std::function<bool(std::int64_t, std::int64_t)>& hidden = {}) {
  Trace trace;
  auto inputs = std::make_shared<Inputs>();
  inputs->query_len = query_len;
  inputs->key_len = key_len;
  inputs->num_heads = 1;
  inputs->tokens = numbered_tokens("q", query_len);
  inputs->key_tokens = numbered_tokens("k", key_len);
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, query_len, key_len);
  Tensor weights = Tensor::zeros({1, 1, query_len, key_len}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  for (std::int64_t i = 0; i < query_len; ++i) {
    for (std::int64_t j = 0; j < key_len; ++j) {
      weights.mutable_data()[i * key_len + j] = static_cast<float>(weight(i, j));
      if (hidden && hidden(i, j)) mask->hidden.mutable_row(0, 0, i)[j] = 1;
    }
  }
  mask->hidden.refresh_any();
  trace.inputs = inputs;
  trace.mask = mask;
  trace.stages.push_back({StageId::weights, weights, "softmax", false, 0});
  return trace;
}

}  // namespace headscope

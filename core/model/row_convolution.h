// The convolution beside the first layer of some models: over the rows that enter the layer, added to what leaves it.
#pragma once

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/checkpoint.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Rows `rows` of what the convolution adds (Architecture::convolution), [batch, rows, d_model], from `stream` [batch,
// len, d_model], what enters layer 0. `weights` is its map, [d_model, d_model / groups * taps] with the taps of a
// channel beside each other; with n = d_model / groups and g = floor(d / n) the group of feature d
//   added[i, d] = f(b[d] + sum_c,t W[d, c, t] stream[i + t - (taps - 1) / 2, g n + c]);  what is outside counts as 0
// The bits of a row depend on the rows around it alone. Throws Cancelled.
Tensor convolved_rows(const ConvolutionRule& rule, const Linear& weights, const Tensor& stream, Range rows,
                      const Backend& backend, const CancelToken& cancel);

// The row that the map reads for one output feature of a group, [d_model / groups * taps]: stream[i + t - ...] of the
// group's channels, in the order of the map's columns.
std::vector<float> convolution_window(const ConvolutionRule& rule, const Tensor& stream, std::int64_t batch,
                                      std::int64_t position, std::int64_t group);

// f of a number that the map gives.
float convolution_activated(const ConvolutionRule& rule, float value);

// Rows of what enters layer 0.
struct StreamRows {
  const Tensor& stream;  // [batch, len, d_model]
  Range rows;
};

// left = norm(left + added): these rows of what leaves layer 0 with what the convolution adds. Nothing in a layer
// without one (BlockWeights::convolution).
void add_convolution(const Architecture& architecture, const BlockWeights& weights, const StreamRows& at,
                     const Backend& backend, const CancelToken& cancel, Tensor& left);

}  // namespace headscope

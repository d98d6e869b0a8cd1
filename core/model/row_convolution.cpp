#include "core/model/row_convolution.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/model/activate.h"
#include "core/model/row_norm.h"

namespace headscope {
namespace {

const Axes kConvolvedAxes{Axis::batch, Axis::position, Axis::feature};

// The windows of one group, [batch, rows, channels * taps].
Tensor windows_of(const ConvolutionRule& rule, const Tensor& stream, Range rows, std::int64_t group) {
  const std::int64_t batch = stream.dim(0), width = stream.dim(2) / rule.groups * rule.taps;
  Tensor all = Tensor::zeros({batch, rows.size(), width}, kConvolvedAxes);
  float* to = all.mutable_data();
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i, to += width) {
      const std::vector<float> window = convolution_window(rule, stream, b, i, group);
      std::copy(window.begin(), window.end(), to);
    }
  }
  return all;
}

// Rows [begin, end) of a map and its bias.
Linear part_of_map(const Linear& map, std::int64_t begin, std::int64_t end) {
  Linear part = map;
  part.weight = map.weight.sliced(0, begin, end);
  if (!map.bias.empty()) part.bias = map.bias.sliced(0, begin, end);
  return part;
}

}  // namespace

std::vector<float> convolution_window(const ConvolutionRule& rule, const Tensor& stream, std::int64_t batch,
                                      std::int64_t position, std::int64_t group) {
  const std::int64_t channels = stream.dim(2) / rule.groups, first = position - (rule.taps - 1) / 2;
  std::vector<float> window(static_cast<std::size_t>(channels * rule.taps));
  std::vector<float> row(static_cast<std::size_t>(channels));
  for (std::int64_t t = 0; t < rule.taps; ++t) {
    if (first + t < 0 || first + t >= stream.dim(1)) continue;
    stream.read({{batch, batch + 1}, {first + t, first + t + 1}, {group * channels, (group + 1) * channels}}, row);
    for (std::int64_t c = 0; c < channels; ++c) {
      window[static_cast<std::size_t>(c * rule.taps + t)] = row[static_cast<std::size_t>(c)];
    }
  }
  return window;
}

namespace {

// In double: the tanh of a float has other bits in the C libraries of Debian 12 and 13.
float tanh_of(float value) {
  return static_cast<float>(std::tanh(static_cast<double>(value)));
}

}  // namespace

float convolution_activated(const ConvolutionRule& rule, float value) {
  if (!rule.activation) return tanh_of(value);
  activate(*rule.activation, {&value, 1});
  return value;
}

Tensor convolved_rows(const ConvolutionRule& rule, const Linear& weights, const Tensor& stream, Range rows,
                      const Backend& backend, const CancelToken& cancel) {
  const std::int64_t batch = stream.dim(0), features = stream.dim(2), part = features / rule.groups;
  Tensor added = Tensor::zeros({batch, rows.size(), features}, kConvolvedAxes);
  for (std::int64_t group = 0; group < rule.groups; ++group) {
    cancel.check();
    const Linear map = part_of_map(weights, group * part, (group + 1) * part);
    const Tensor made = backend.linear(windows_of(rule, stream, rows, group), map.weight, map.bias, cancel);
    const float* from = made.data();
    float* to = added.mutable_data() + group * part;
    for (std::int64_t row = 0; row < batch * rows.size(); ++row) {
      std::copy_n(from + row * part, part, to + row * features);
    }
  }
  const std::span<float> values(added.mutable_data(), static_cast<std::size_t>(added.size()));
  if (rule.activation) {
    activate(*rule.activation, values);
  } else {
    for (float& value : values) value = tanh_of(value);
  }
  return added;
}

void add_convolution(const Architecture& architecture, const BlockWeights& weights, const StreamRows& at,
                     const Backend& backend, const CancelToken& cancel, Tensor& left) {
  if (weights.convolution.empty()) return;
  const Tensor added =
      convolved_rows(*architecture.convolution, weights.convolution, at.stream, at.rows, backend, cancel);
  const float* from = added.data();
  for (std::int64_t b = 0; b < left.dim(0); ++b) {
    for (std::int64_t i = 0; i < left.dim(1); ++i, from += left.dim(2)) {
      float* to = left.mutable_data() + b * left.strides()[0] + i * left.strides()[1];
      for (std::int64_t d = 0; d < left.dim(2); ++d) to[d] += from[d];
    }
  }
  norm_rows(row_norm_of(architecture, weights.convolution_norm), left, 0, left);
}

}  // namespace headscope

#include "core/model/packed_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/model/input_sizes.h"

namespace headscope {

std::int64_t packed_len(const std::vector<std::int64_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

Tensor packed_texts(const Tensor& padded, const std::vector<std::int64_t>& lengths) {
  HEADSCOPE_ASSERT(padded.dim(0) == static_cast<std::int64_t>(lengths.size()), to_string(padded.shape()));
  const std::int64_t heads = padded.dim(1), len = padded.dim(2), features = padded.dim(3), all = packed_len(lengths);
  const std::vector<float> from = padded.values();
  Tensor packed = Tensor::zeros({1, heads, all, features}, padded.axes());
  float* const to = packed.mutable_data();
  std::int64_t begin = 0;
  for (std::int64_t b = 0; b < padded.dim(0); ++b) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    HEADSCOPE_ASSERT(length <= len, std::to_string(length));
    for (std::int64_t h = 0; h < heads; ++h) {
      std::copy_n(from.begin() + (b * heads + h) * len * features, length * features,
                  to + (h * all + begin) * features);
    }
    begin += length;
  }
  return packed;
}

Tensor packed_rows(const Tensor& padded, const std::vector<std::int64_t>& lengths) {
  const Shape& shape = padded.shape();
  const Axes axes = {Axis::batch, Axis::head, Axis::position, Axis::feature};
  const Tensor packed = packed_texts(padded.reshaped({shape[0], 1, shape[1], shape[2]}, axes), lengths);
  return packed.reshaped({1, packed.dim(2), shape[2]}, padded.axes());
}

MaskFile mask_of_texts(const std::vector<std::int64_t>& lengths) {
  const std::int64_t all = packed_len(lengths);
  check_memory({all, all}, "the mask of packed texts");
  Tensor same = Tensor::zeros({1, 1, all, all}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  float* const cells = same.mutable_data();
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    for (std::int64_t i = begin; i < begin + length; ++i) std::fill_n(cells + i * all + begin, length, 1.0F);
    begin += length;
  }
  return {fmt::format("--lengths {}", fmt::join(lengths, ",")), std::move(same), true, true};
}

}  // namespace headscope

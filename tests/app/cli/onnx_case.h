// One case of ONNX's Attention with numbers of its own, and its weights and context by plain loops in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

struct OnnxCase {
  const char* name;
  std::int64_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, past = 0;
  std::int64_t features = 4, value_features = 4;
  bool causal = false;
  Shape mask = {};     // of the mask's file; empty: none
  bool keeps = false;  // 1 = may attend; else added
  double scale = 0;    // 0: 1 / sqrt(features)
  double softcap = 0;  // 0: none
  bool capped_last = false;
  bool rows = false;        // 3-D files, [batch, len, heads * features]
  std::int64_t begin = -1;  // --past; -1: not said
};

inline std::size_t onnx_count(const Shape& shape) {
  return static_cast<std::size_t>(element_count(shape));
}

// Numbers that are neither ordered nor equal.
inline std::vector<float> onnx_numbers(std::size_t count, std::uint32_t seed, float size = 1.0F) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = size * (static_cast<float>(seed >> 8) / 8388608.0F - 1.0F);
  }
  return values;
}

// A mask's cell, its shape broadcast to [batch, heads, queries, keys] from the right.
inline double onnx_mask_at(const OnnxCase& c, const std::vector<float>& mask, const std::vector<std::int64_t>& cell) {
  std::size_t at = 0;
  for (int axis = 0; axis < c.mask.count; ++axis) {
    const std::int64_t place = cell[static_cast<std::size_t>(4 - c.mask.count + axis)];
    at = at * static_cast<std::size_t>(c.mask[axis]) + static_cast<std::size_t>(c.mask[axis] == 1 ? 0 : place);
  }
  return static_cast<double>(mask[at]);
}

struct OnnxFiles {
  std::vector<float> query, key, value, past_key, past_value, mask;  // [batch, heads, len, features] each
};

inline OnnxFiles onnx_files(const OnnxCase& c) {
  OnnxFiles files;
  files.query = onnx_numbers(onnx_count({c.batch, c.heads, c.queries, c.features}), 1, 2);
  files.key = onnx_numbers(onnx_count({c.batch, c.kv_heads, c.keys, c.features}), 2, 2);
  files.value = onnx_numbers(onnx_count({c.batch, c.kv_heads, c.keys, c.value_features}), 3);
  files.past_key = onnx_numbers(onnx_count({c.batch, c.kv_heads, c.past, c.features}), 4, 2);
  files.past_value = onnx_numbers(onnx_count({c.batch, c.kv_heads, c.past, c.value_features}), 5);
  if (c.mask.count == 0) return files;
  files.mask = onnx_numbers(onnx_count(c.mask), 6, 3);
  for (std::size_t n = 0; n < files.mask.size(); ++n) {
    if (c.keeps) files.mask[n] = files.mask[n] > -0.5F ? 1.0F : 0.0F;
    if (!c.keeps && n % 5 == 3) files.mask[n] = -std::numeric_limits<float>::infinity();
  }
  return files;
}

struct OnnxWanted {
  std::vector<double> weights, context;  // [batch, heads, queries, keys], [.., value_features]
};

// One row: scores of all keys, then their softmax.
inline std::vector<double> onnx_weights_row(const OnnxCase& c, const OnnxFiles& f, std::int64_t b, std::int64_t h,
                                            std::int64_t i) {
  const std::int64_t all = c.past + c.keys, g = h / (c.heads / c.kv_heads);
  const std::int64_t diagonal = c.begin >= 0 ? c.begin : c.past;
  std::vector<double> scores;
  for (std::int64_t j = 0; j < all; ++j) {
    double score = 0;
    for (std::int64_t d = 0; d < c.features; ++d) {
      const bool before = j < c.past;
      const std::int64_t row = before ? (b * c.kv_heads + g) * c.past + j : (b * c.kv_heads + g) * c.keys + j - c.past;
      const auto key = static_cast<std::size_t>(row * c.features + d);
      const auto query = static_cast<std::size_t>(((b * c.heads + h) * c.queries + i) * c.features + d);
      score += static_cast<double>(f.query[query]) * static_cast<double>((before ? f.past_key : f.key)[key]);
    }
    score *= c.scale == 0 ? 1 / std::sqrt(static_cast<double>(c.features)) : c.scale;
    const double mask = c.mask.count == 0 ? 0 : onnx_mask_at(c, f.mask, {b, h, i, j});
    const bool hidden =
        (c.causal && j > i + diagonal) || (c.mask.count > 0 && (c.keeps ? mask == 0 : std::isinf(mask)));
    const double added = c.keeps || hidden ? 0 : mask;
    if (c.capped_last) score += added;
    if (c.softcap > 0) score = c.softcap * std::tanh(score / c.softcap);
    if (!c.capped_last) score += added;
    scores.push_back(hidden ? -std::numeric_limits<double>::infinity() : score);
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
  return scores;
}

inline OnnxWanted onnx_wanted(const OnnxCase& c, const OnnxFiles& f) {
  OnnxWanted wanted;
  const std::int64_t all = c.past + c.keys;
  for (std::int64_t b = 0; b < c.batch; ++b) {
    for (std::int64_t h = 0; h < c.heads; ++h) {
      for (std::int64_t i = 0; i < c.queries; ++i) {
        const std::vector<double> weights = onnx_weights_row(c, f, b, h, i);
        const std::int64_t g = h / (c.heads / c.kv_heads);
        for (std::int64_t d = 0; d < c.value_features; ++d) {
          double sum = 0;
          for (std::int64_t j = 0; j < all; ++j) {
            const bool before = j < c.past;
            const std::int64_t row =
                before ? (b * c.kv_heads + g) * c.past + j : (b * c.kv_heads + g) * c.keys + j - c.past;
            const auto at = static_cast<std::size_t>(row * c.value_features + d);
            sum += weights[static_cast<std::size_t>(j)] * static_cast<double>((before ? f.past_value : f.value)[at]);
          }
          wanted.context.push_back(sum);
        }
        wanted.weights.insert(wanted.weights.end(), weights.begin(), weights.end());
      }
    }
  }
  return wanted;
}

// [batch, heads, len, features] as [batch, len, heads * features].
inline std::vector<float> onnx_rows(const std::vector<float>& values, std::int64_t batch, std::int64_t heads,
                                    std::int64_t len, std::int64_t features) {
  std::vector<float> rows;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < len; ++i) {
      for (std::int64_t h = 0; h < heads; ++h) {
        const auto from = values.begin() + ((b * heads + h) * len + i) * features;
        rows.insert(rows.end(), from, from + features);
      }
    }
  }
  return rows;
}

inline double onnx_error(const Tensor& found, const std::vector<double>& wanted) {
  const std::vector<float> values = found.values();
  if (values.size() != wanted.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double error = std::abs(static_cast<double>(values[n]) - wanted[n]);
    const bool both_nan = std::isnan(values[n]) && std::isnan(wanted[n]);
    largest = both_nan            ? largest
              : std::isnan(error) ? std::numeric_limits<double>::infinity()
                                  : std::max(largest, error);
  }
  return largest;
}

}  // namespace headscope

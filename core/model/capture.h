// Attention that another program computed, read from its file: a safetensors capture, or arrays of NumPy's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// What the file holds of one layer: weights, or queries and keys, or both; with or without values.
struct CapturedLayer {
  Tensor weights;     // [batch, heads, query_len, key_len], or empty
  Tensor query, key;  // [batch, heads, query_len, head_dim], [batch, kv_heads, key_len, head_dim]; or both empty
  Tensor value;       // [batch, kv_heads, key_len, value_head_dim], or empty
  bool captured() const { return !weights.empty() || !query.empty(); }
  std::int64_t num_heads() const { return weights.empty() ? query.dim(1) : weights.dim(1); }
};

struct Capture {
  std::string path;
  std::vector<std::string> tokens, key_tokens;  // as the file names them, else "0", "1", ...
  // Whether `tokens` and `key_tokens` come from a file; `named_keys` alone: they are of their own.
  bool named_tokens = false, named_keys = false;
  // By layer number. A layer that was not captured is empty; the last one is never empty.
  std::vector<CapturedLayer> layers;
  std::int64_t batch = 0, query_len = 0, key_len = 0;
};

// The file beside a capture that lists its tokens: "a/b.tokens.json" or "a/b.tokens.txt" of "a/b.npy"; "" when there is
// none.
std::string capture_tokens_path(const std::string& path);

// A safetensors file with layers.N.weights [batch, heads, q, k], or layers.N.query and layers.N.key (and .value), with
// the metadata `tokens` and `key_tokens`, JSON lists of strings; an .npy of weights [heads, q, k], [layers, heads, q,
// k] or [layers, batch, heads, q, k]; or an .npz of one such array, of one array a layer (arr_0, arr_1, ...: [heads, q,
// k] or [batch, heads, q, k]), or of the names of the safetensors file, with arrays of strings `tokens` and
// `key_tokens`. Batch may be left out. Tokens that it does not name come from the file beside it (capture_tokens_path):
// a JSON list, a JSON object with lists `tokens` and `key_tokens`, or one token a line. Files are mapped; of large
// float32 tensors only the regions that are used are read. Throws Error that names the file, what was found and what
// was expected.
Capture read_capture(const std::string& path);

// The numbers of the layers below the last one that the file does not hold.
std::vector<std::int64_t> missing_layers(const Capture& capture);
// "layers 1 and 2 were not captured", "layer 0 was not captured"; "" for none.
std::string missing_layers_text(const std::vector<std::int64_t>& missing);

// How far the rows of captured weights are from adding up to 1.
struct RowSums {
  std::int64_t rows = 0;
  std::int64_t off = 0;                         // rows with |sum - 1| > kRowSumTolerance, infinite ones too
  std::int64_t nan_rows = 0;                    // rows that hold NaN; not counted in `off` or `largest_error`
  double largest_error = 0;                     // max |sum - 1|
  std::int64_t batch = 0, head = 0, query = 0;  // the row of largest_error
};
constexpr double kRowSumTolerance = 1e-3;

// Sums every row of [batch, heads, query_len, key_len] in double precision. Throws Cancelled.
RowSums row_sums_of(const Tensor& weights, const CancelToken& cancel = {});

// "each of 96 rows adds up to 1 (largest error 1e-07)", "3 of 96 rows do not add up to 1: ...".
std::string row_sums_text(const RowSums& sums);

}  // namespace headscope

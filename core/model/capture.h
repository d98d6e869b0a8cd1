// Attention that another program computed, read from its file: a safetensors capture, arrays of NumPy's, or tensors of
// PyTorch's.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/model/image_grid.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// A mask that a capture carries: 1 = may attend where it is whole (booleans, integers), else added to the scores, and
// -inf hides.
struct CapturedMask {
  Tensor values = {};  // of a shape that broadcasts to [batch, heads, query_len, key_len]; empty: none
  bool is_whole = false;
  std::string where = "";  // names it in messages: "a.safetensors: layers.0.mask"
};

// What the positions are called, and whether the file or the list beside it says so.
struct CapturedNames {
  std::vector<std::string> queries, keys;
  bool named_tokens = false, named_keys = false;  // `named_keys` alone: the keys have names of their own
};

// What the file holds of one layer: weights, or scores, or queries and keys; weights may stand beside either. With or
// without values.
struct CapturedLayer {
  Tensor weights;                      // [batch, heads, query_len, key_len], or empty
  Tensor query, key;                   // [batch, heads, query_len, head_dim], [batch, kv_heads, key_len, head_dim]; or
                                       // both empty
  Tensor value;                        // [batch, kv_heads, key_len, value_head_dim], or empty
  Tensor scores = {};                  // what enters the mask, [batch, heads, query_len, key_len]; or empty
  CapturedMask mask = {};              // that it was computed with
  std::optional<double> scale = {};    // of query . key; nullopt: 1/sqrt(head_dim)
  std::optional<bool> causal = {};     // whether later keys are hidden; nullopt: not said
  std::optional<ImageGrid> grid = {};  // of the queries' image; nullopt: they are no patches
  std::optional<ImageGrid> key_grid = {};   // of the keys' image
  std::optional<CapturedNames> names = {};  // nullopt: those of the capture
  bool captured() const { return !weights.empty() || !query.empty() || !scores.empty(); }
  std::int64_t num_heads() const { return rows().dim(1); }
  std::int64_t query_len() const { return rows().dim(2); }
  std::int64_t key_len() const { return query.empty() ? rows().dim(3) : key.dim(2); }

 private:
  const Tensor& rows() const { return !query.empty() ? query : !scores.empty() ? scores : weights; }
};

struct Capture {
  std::string path;
  // Of the last layer, as the file names them, else "0", "1", ..., or of an image "r0c0", "r0c1", ....
  std::vector<std::string> tokens, key_tokens;
  // Whether `tokens` and `key_tokens` come from a file; `named_keys` alone: they are of their own.
  bool named_tokens = false, named_keys = false;
  // By layer number. A layer that was not captured is empty; the last one is never empty.
  std::vector<CapturedLayer> layers;
  std::int64_t batch = 0, query_len = 0, key_len = 0;  // the lengths are the last layer's; others may have their own
  // Of one array, whose axes could be others as well: how they were read, and what would give the others. Of named
  // tensors: those whose names mean nothing here. Else "".
  std::string reading;
};

// The file beside a capture that lists its tokens: "a/b.tokens.json" or "a/b.tokens.txt" of "a/b.npy"; "" when there is
// none.
std::string capture_tokens_path(const std::string& path);

// A safetensors file with layers.N.weights [batch, heads, q, k], or layers.N.scores of that shape, or layers.N.query
// and layers.N.key (and .value), with the metadata `tokens` and `key_tokens`, JSON lists of strings; an .npy of weights
// [heads, q, k], [layers, heads, q, k] or [layers, batch, heads, q, k]; or an .npz of one such array, of one array a
// layer (arr_0, arr_1, ...: [heads, q, k] or [batch, heads, q, k]), or of the names of the safetensors file, with
// arrays of strings `tokens` and `key_tokens`. Batch may be left out. Both carry what was computed with, for all layers
// or as layers.N.NAME for one: the tensor `mask`, and `scale` (a number), `causal` (true or false), `grid` and
// `key_grid` ([rows, columns]), in a safetensors file as JSON in its metadata. A file of torch.save holds the tensors
// of a safetensors file by name, or one array as an .npy does, or a list or tuple with [batch, heads, q, k] of each
// layer. Layers may have lengths of their own; then `tokens` and `key_tokens` name the positions of those that have as
// many. Tokens that it does not name come from the file beside it (capture_tokens_path): a JSON list, a JSON object
// with lists `tokens` and `key_tokens`, or one token a line. Files are mapped; of large float32 tensors only the
// regions that are used are read. Throws Error that names the file, what was found and what was expected.
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

// Sums every row of [batch, heads, query_len, key_len] in double precision; ends early once more than `most_off` rows
// are off. Throws Cancelled.
RowSums row_sums_of(const Tensor& weights, const CancelToken& cancel = {},
                    std::int64_t most_off = std::numeric_limits<std::int64_t>::max());

// "each of 96 rows adds up to 1 (largest error 1e-07)", "3 of 96 rows do not add up to 1: ...".
std::string row_sums_text(const RowSums& sums);

}  // namespace headscope

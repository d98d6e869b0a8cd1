// The compute shaders, each as one call on buffers. A context of OpenGL 4.3 must be current.
#pragma once

#include <cstdint>

#include "app/gl/compute_buffer.h"
#include "app/gl/compute_parts.h"
#include "app/gl/program.h"
#include "core/request/mask.h"

namespace headscope {

// The rows of the mask that a dispatch needs, on the device; see shaders/hidden_cells.glsl.
class ComputeMask {
 public:
  // Uploads the rows `queries` of the given batches and heads.
  void upload(const HiddenCells& hidden, const Range& batch, const Range& heads, const Range& queries);
  // Sets the mask's uniforms and buffer for `program`, which includes hidden_cells.glsl; with `hides` false nothing is
  // hidden.
  void set(const GlProgram& program, bool hides = true) const;

 private:
  ComputeBuffer words_;
  std::int64_t row_words_ = 0;
  bool has_runs_ = false;
  std::int64_t batches_ = 1, mask_heads_ = 1, heads_ = 1, queries_ = 1;
};

// Which rows of each matrix in a buffer an operand is: those from `first` on, of `rows` that lie there; 0: no others.
struct OperandRows {
  std::int64_t first = 0, rows = 0;
};

class ComputeKernels {
 public:
  // Throws Error when the driver refuses a shader.
  ComputeKernels();

  // result[m, i, j] = bias[j] + sum_k left[m, i, k] right[g, j, k]; m = (batch, head), g = (batch, group of the head).
  // `bias` may be null.
  struct ProductSizes {
    std::int64_t batch = 1, rows = 0, columns = 0, depth = 0;
    HeadGroups heads;
    OperandRows left = {}, right = {};  // where i and j (of weighted_values: j of the value) begin in the buffers
  };
  void dot_products(const ProductSizes& size, const ComputeBuffer& left, const ComputeBuffer& right,
                    const ComputeBuffer* bias, const ComputeBuffer& result) const;

  // Turns raw scores of [batch, heads, queries, keys] into a later stage, in place. `added`: mask.added over these
  // cells.
  struct ScoreSteps {
    std::int64_t heads = 1, queries = 0, keys = 0;
    std::int64_t first_key = 0;  // index in the mask of the first key here
    float scale = 1, softcap = 0, hidden_value = 0;
    bool mask_first = false, hides = false, adds = false;
    bool caps_added = false;  // the softcap comes after what is added
    bool stops_before_softcap = false, stops_before_mask = false;
    std::int64_t added_batches = 1, added_heads = 1;
  };
  void masked_scores(const ScoreSteps& steps, std::int64_t rows, const ComputeBuffer& scores, const ComputeMask& mask,
                     const ComputeBuffer& added) const;

  // The maximum and sum of every row of scores [rows, keys].
  void row_statistics(std::int64_t rows, std::int64_t keys, const ComputeBuffer& scores, const ComputeBuffer& maxima,
                      const ComputeBuffer& sums) const;

  // Turns scores [rows, keys] into weights, in place. `clears_hidden` needs the mask; `rewrites_hidden_rows` needs
  // `all_hidden`, one word a row, 1: every key is hidden.
  struct WeightSteps {
    std::int64_t rows = 0, keys = 0;
    std::int64_t first_key = 0;
    bool clears_hidden = false, rewrites_hidden_rows = false;
    float hidden_row_value = 0;
  };
  void softmax_weights(const WeightSteps& steps, const ComputeBuffer& scores, const ComputeBuffer& maxima,
                       const ComputeBuffer& sums, const ComputeMask& mask, const ComputeBuffer& all_hidden) const;

  // Applies dropout to weights [rows, keys], in place. With `factors` null: by the draws of each row (two words,
  // DropoutDraw::state), where a draw of at least `least` / 2^53 keeps a weight. Else weights are multiplied by
  // `factors` [rows, keys].
  struct DropSteps {
    std::int64_t first_key = 0;
    std::uint64_t least = 0;
    float gain = 1;
  };
  void dropped_weights(const DropSteps& steps, std::int64_t rows, std::int64_t keys, const ComputeBuffer& weights,
                       const ComputeBuffer& draws, const ComputeBuffer* factors) const;

  // context[m, i, d] = sum_j weights[m, i, j] value[g, j, d]: rows i, columns d, depth j. With a `mask`, hidden cells
  // of weight 0 are not read, and its key `first_key` is the first here; null: all cells are read.
  void weighted_values(const ProductSizes& size, const ComputeBuffer& weights, const ComputeBuffer& value,
                       const ComputeMask* mask, std::int64_t first_key, const ComputeBuffer& context) const;

 private:
  GlProgram dot_products_, masked_scores_, row_statistics_, softmax_weights_, dropped_weights_, weighted_finite_values_,
      weighted_any_values_;
};

}  // namespace headscope

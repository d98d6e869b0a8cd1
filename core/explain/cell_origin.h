// Where a cell of a stage comes from: which step makes it, and which cells of which tensors feed it. One description,
// which the explanation of a number and the linked highlighting both read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/put_numbers.h"
#include "core/attention/trace.h"
#include "core/explain/cell_source.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// How a cell is computed from its sources; sources[k] is CellOrigin::sources[k].
enum class CellStep {
  given,     // read from a file, or a word's vector: it has no source in this trace
  copied,    // sources[0], one cell
  products,  // sum_k sources[0][k] * sources[1][k], plus sources[2] (a bias) when there is one, times CellOrigin::scale
  rotated,   // one of a head's features (sources[0]) after the model's bounds, norm (weights: sources[1]) and rotary
             // positions
  scaled,    // sources[0] * scale
  formula,   // the formula of the stage's row (stage_info.h), of one cell of every source
  masked,    // hidden ? fill : sources[0] + added; before-scale: times the scale. Other sources (c2p, p2c) are part of
             // what is added
  softmax,   // exp(s - max s) / sum exp(s - max s) over sources[0] and, where the head has one, its sink (sources[1]),
             // at the cell itself
  dropped,   // sources[0] * kept / (1 - P)
  ablated,   // 0: the head is switched off
  frozen,    // the head's weights are frozen: they do not depend on scores
  sink_share,  // exp(sink - m) / (sum exp(s - m) + exp(sink - m)) over sources[0]; the sink: sources[1]
  normed,  // one feature of a row (sources[0]) after a norm (weights: sources[1], bias: sources[2] where there is one)
};

struct CellOrigin {
  CellStep step{};
  std::vector<CellSource> sources;
  // Of products: 1 for a term that is not read (a hidden key of weight 0); empty: all are.
  std::vector<std::uint8_t> not_read;
  std::int64_t at = 0;  // of softmax, rotated, normed: the cell's own place along sources[0]
  // Of a formula whose sources[0] the mask adds to first: what it adds.
  std::optional<double> added = std::nullopt;
  double factor = 1.0;                          // by which --scale-query or --scale-key multiplies the step's result
  std::optional<PutNumber> put = std::nullopt;  // what interventions put there afterwards; nullopt: nothing
  double scale = 1.0;                           // of products: by which their sum is multiplied
};

// The origin of stage[index]; `index` has the stage's axes. Asserts that the trace has the stage and the cell.
CellOrigin origin_of(const Trace& trace, StageId stage, const Index& index);

// The same without reading a number: not_read stays empty.
CellOrigin sources_of(const Trace& trace, StageId stage, const Index& index);

}  // namespace headscope

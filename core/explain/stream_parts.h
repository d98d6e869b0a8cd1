// A direction of the residual stream, taken back through the layers: what each part of them wrote along it. Internal to
// core/explain.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/explain/attribution_part.h"
#include "core/explain/stream_row.h"
#include "core/model/row_norm.h"

namespace headscope {

struct StreamWalk {
  const ModelTrace& model;  // computed whole, without patches of the stream; arrays of it are parts
  std::int64_t position = 0;
  AttributionBy by = AttributionBy::components;
  const StreamRow& row;  // of that position
};

// UsageError, which names the option, for layers that were not kept and for a patched stream, which nothing here wrote.
void check_stream_parts(const ModelTrace& model);

// Takes the direction back through a norm that read `x` (HeldNorm): before . x = direction . norm(x). What its bias
// adds becomes a part, named as `bias` is.
void go_before(const RowNorm& norm, const std::vector<float>& x, const AttributionPart& bias,
               std::vector<double>& direction, std::vector<AttributionPart>& parts);

// What embeddings and the steps before `steps` (model_steps: layers, or of a decoder beside an encoder halves of them)
// add to direction . (the stream that enters step `steps`, or with as many as there are what the final norm reads), in
// the order of computation: their sum is that product but for the rounding of the model's float32. `direction`,
// [d_model], becomes that of the embeddings. Throws Cancelled.
std::vector<AttributionPart> stream_parts(const StreamWalk& walk, std::int64_t steps, std::vector<double>& direction,
                                          const CancelToken& cancel);

}  // namespace headscope

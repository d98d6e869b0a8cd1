// Where the numbers of a dump of a model lie in ours: tensors whose sizes theirs must have.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/attention/model_trace.h"
#include "core/diagnose/program_names.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct DumpPlace {
  Tensor own;              // ours; empty where our model has no such thing
  std::int64_t heads = 1;  // that its features are of
};

// Ours of the same kind as `part` of that layer: of DumpPart::stage the stage, of logits the sizes alone. Of a fused
// projection that our layer has in three parts the sizes of all three. `model` was computed whole.
DumpPlace dump_place(const ModelTrace& model, DumpPart part, StageId stage, std::int64_t layer);

// "query_proj", "mlp_out", "layer_out" (what leaves the layer), "stream" (what enters layer 0), "attended" (the sum
// behind attention), "hidden states".
std::string_view dump_part_name(DumpPart part, StageId stage);

}  // namespace headscope

// The tensors of a layer's weights by the names and axes of their file, and numbers in them replaced.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "core/model/layer_weights.h"
#include "core/request/request.h"

namespace headscope {

struct WeightTensor {
  std::string name;
  Tensor tensor;  // in the file's own axes; a view of numbers that may lie in two bytes each
};

// All of a layer, as `explain` names them: projections, then bias_k and bias_v, then the output. One vector that is the
// bias of three matrices is one tensor (a copy).
std::vector<WeightTensor> weight_tensors(const LayerWeights& weights);

// `weights` with the numbers replaced that `edits` name among its tensors; every tensor that changes is a float32 copy
// that lies as it lay, the others stay. Indices are asserted.
LayerWeights with_edited_tensors(const LayerWeights& weights, const std::vector<NumberEdit>& edits);

// The inputs with the weights as the request edits them, `inputs` itself where it edits none. What `previous` made of
// the same weights and edits is used again, so that it stays the same storage. Both may be the same object; `before` is
// the request of `previous`.
std::shared_ptr<const Inputs> with_edited_weights(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                                  const Request* before, const Inputs* previous);

}  // namespace headscope

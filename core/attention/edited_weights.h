// The tensors of a layer's weights with the names and axes of their file, and edits of single numbers in them.
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
  Tensor tensor;  // in the file's own axes; may be a view of two-byte numbers
};

// All of a layer, as `explain` names them: projections, then bias_k and bias_v, then the output. One vector that is the
// bias of three matrices is one tensor (a copy).
std::vector<WeightTensor> weight_tensors(const LayerWeights& weights);

// `weights` with the numbers replaced that `edits` name; edits of other tensors are ignored. A changed tensor is a
// float32 copy with the same strides, the others are shared. Indices are asserted.
LayerWeights with_edited_tensors(const LayerWeights& weights, const std::vector<NumberEdit>& edits);

// The inputs with the request's edits of weights applied; `inputs` itself when there are none. When `previous` has the
// same weights with the same edits, its edited tensors are reused, so that their storage stays the same. `previous` may
// be `inputs`, or null; `before` is the request of `previous`.
std::shared_ptr<const Inputs> with_edited_weights(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                                  const Request* before, const Inputs* previous);

}  // namespace headscope

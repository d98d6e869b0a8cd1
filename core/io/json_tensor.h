// One tensor as JSON.
#pragma once

#include <ostream>
#include <string>

#include "core/base/cancel.h"
#include "core/tensor/tensor.h"

namespace headscope {

// {"stage": name, "shape": [..], "values": nested lists}. Numbers in the shortest form that reads back to the same
// float32; those that are not finite are the strings "nan", "inf", "-inf". Streams.
void write_json_tensor(std::ostream& out, const std::string& stage, const Tensor& tensor,
                       const CancelToken& cancel = {});

}  // namespace headscope

// Whether a file holds attention that another program computed.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/io/tensor_file.h"

namespace headscope {

// Whether an .npy holds weights, to which the rows that add up to 1 belong; x, queries and keys have none. Throws
// Error, and Cancelled.
bool holds_weights(const std::string& npy_path, const CancelToken& cancel = {});

// Whether the file holds layers.N.weights or layers.N.query, or, where torch.save wrote it without names, weights as an
// .npy or a list of each layer's: attention that another program computed.
bool is_capture(const TensorFile& file);

}  // namespace headscope

// The formats of files that hold tensors by name.
#pragma once

#include <string>

#include "core/io/tensor_file.h"

namespace headscope {

// What to do about a file of a name that ends so: a part of a sentence for formats of weights that are not read
// (.onnx);
// "" for all others.
std::string unread_format(const std::string& path);

// A file of tensors in any format of the table in tensor_formats.cpp, told by its first bytes; what is none of them is
// taken for safetensors, whose reader says what it is instead. Maps it and reads its names. Throws Error.
TensorFile open_tensor_file(const std::string& path);

}  // namespace headscope

// Numbers of float64 that float32 does not reach: readers, which give float32, make them infinite.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/io/tensor_file.h"

namespace headscope {

// Returns the largest of the finite numbers of a .npy file that are infinite as float32; nullopt where there is none.
// `what` names the bytes in errors. Throws Error as read_npy_header() does.
std::optional<double> beyond_float32_of_npy(std::span<const std::byte> bytes, const std::string& what);

// Returns it for a file, which is mapped.
std::optional<double> beyond_float32_of_npy_file(const std::string& path);

// The same of a tensor of a .safetensors file or one of torch.save, `entry` of file.entries; of the latter all numbers
// that are stored with it count. Throws Error as these files' readers do.
std::optional<double> beyond_float32_of_tensor(const TensorFile& file, const TensorEntry& entry);

}  // namespace headscope

// The types of GGUF tensors, one row each: how many numbers a block holds, in how many bytes, and how it is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace headscope {

// Fills `values`, as many as the type's block holds, from the block's bytes.
using UnpackBlock = void (*)(const std::byte* block, float* values);

struct GgufType {
  std::uint32_t number = 0;  // as the file says it
  const char* name = "";     // "F32", "Q4_K"
  std::int64_t block_values = 1;
  std::int64_t block_bytes = 1;
  UnpackBlock unpack = nullptr;  // null: not read
};

// All types that are known by name, also those that are not read.
std::span<const GgufType> gguf_types();

// Null for a number that no type has.
const GgufType* gguf_type(std::uint32_t number);

// Whether `dtype` is the name of a type that is read.
bool is_read_gguf_type(const std::string& dtype);

// "F32, F16, BF16, Q8_0, ...": the types that are read.
std::string read_gguf_types();

}  // namespace headscope

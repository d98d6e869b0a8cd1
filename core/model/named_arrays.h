// One file that holds what attention is computed from, and what it gave, by the names that programs use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/npy.h"
#include "core/tensor/tensor.h"

namespace headscope {

enum class ArrayRole { query, key, value, mask, out };

// Returns what an array of that name is, "q" as "query", "attn_mask" as "mask"; nullopt for other names.
std::optional<ArrayRole> role_of_array(std::string_view name);
std::string_view role_name(ArrayRole role);  // "query", ...

struct NamedArray {
  ArrayRole role{};
  std::string name;       // as the file has it
  Tensor tensor;          // float32; axes without names
  bool is_whole = false;  // booleans or integers
  std::string stored_as;  // "bfloat16, whose bits it holds as uint16"; "" for numbers that are what the file says
};

struct NamedArrays {
  std::string path;
  std::vector<NamedArray> arrays;   // those with a role, each role once, in the file's order
  std::vector<std::string> others;  // names without one, as messages have them
  const NamedArray* find(ArrayRole role) const;
};

// Reads a .npz, .safetensors or torch.save file. Throws Error when it cannot be read, or holds one role under two
// names.
NamedArrays read_named_arrays(const std::string& path);

// An array of whole numbers of 16 bits whose numbers are bfloat16 in all likelihood, as these; said in `stored_as`.
void read_small_floats(const NpyHeader& header, Tensor& tensor, std::string& stored_as);

}  // namespace headscope

// What the pickle of a file of torch.save says: the tensors by name, and where in which storage their numbers lie.
// Functions of PyTorch that such pickles name: torch/_utils.py and torch/_tensor.py; the ids of storages:
// torch/serialization.py.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/pickle_value.h"

namespace headscope {

// A storage as a pickle refers to it.
struct TorchStorage {
  std::string_view key;
  const char* dtype = "";    // of its numbers
  std::int64_t numbers = 0;  // that it has
  std::int64_t begin = 0;    // of the part that is meant (a view of a storage, in files before PyTorch 1.6), in numbers
  std::int64_t end = 0;
};

// Number [i, j, ...] of a tensor is number offset + i * strides[0] + j * strides[1] + ... of its storage, in units of
// its own dtype; all of them lie in the storage.
struct TorchTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape, strides;
  std::int64_t offset = 0;
  TorchStorage storage;
};

// The tensors of a state_dict, parsed with torch_globals(): a dictionary of tensors by name, or the one below
// "state_dict", "model_state_dict", "model" or "module" of a dictionary, whose own tensors are at most one number each;
// sorted by name. What is no tensor is passed over. Throws Error, which begins with `what`, where there is no such
// dictionary, a name stands twice or is no UTF-8, or a tensor reaches beyond its storage.
std::vector<TorchTensor> torch_tensors(const Pickle& pickle, const std::string& what);

// The tensors of a file that is one tensor, or a list or tuple of nothing but tensors: by kOnlyTensor, or by their
// places, "0", "1", ...; sorted by these names. So, too, of a dictionary that has such a list under a name of attention
// ("attentions", "attention", "attention_weights", "attn_weights", "weights"), or the only tensor, and of one whose
// keys are the numbers 0, 1, ... Empty where it is anything else. Throws as torch_tensors().
inline constexpr const char* kOnlyTensor = "tensor";
std::vector<TorchTensor> unnamed_torch_tensors(const Pickle& pickle, const std::string& what);

// Every storage that the pickle refers to, tensors of optimizers included, in the order of the pickle.
std::vector<TorchStorage> torch_storages(const Pickle& pickle, const std::string& what);

}  // namespace headscope

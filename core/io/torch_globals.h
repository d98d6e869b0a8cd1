// The names of PyTorch that the pickle of a state_dict may hold, a row each.
#pragma once

#include <span>

#include "core/io/pickle_value.h"

namespace headscope {

// What a name stands for: a type of numbers, or a function that gives a tensor from its arguments.
struct TorchGlobal {
  PickleGlobal global;
  enum class Gives {
    nothing,
    tensor,   // of arguments (storage, offset, size, stride, ...)
    tensor3,  // the same, and a dtype as the seventh
    first,    // its first argument, which is a tensor
    applied   // its first argument, a function, applied to its third, a tuple of arguments
  } gives = Gives::nothing;
  const char* dtype = "";  // of a storage, or a dtype by itself
};

std::span<const TorchGlobal> torch_global_rows();

// Their names alone, in the same order, for parse_pickle.
std::span<const PickleGlobal> torch_globals();

}  // namespace headscope

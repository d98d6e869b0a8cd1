// These are the user's own arrays of --set, --add and --project-out, once they are read.
#pragma once

#include <string>
#include <vector>

#include "core/request/interventions.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct Inputs;

// The numbers of an array lie in a file, or the request carries them itself.
struct OwnArray {
  std::string file;    // StageArray::file
  std::string wanted;  // StageArray::sha256
  Tensor numbers;      // dense, of any shape
  std::string sha256;  // of shape and float32 values, in hexadecimal
};

// Inputs::arrays holds each array of an intervention that is on once.
struct OwnArrays {
  std::vector<OwnArray> each;

  // Returns the one that an intervention names; null where it puts in a number, or is off.
  const OwnArray* find(const StageArray& of) const;
};

// A session carries arrays of at most so many numbers itself: a vector or two of a large model.
inline constexpr std::int64_t kCarriedNumbers = 16384;

// Returns the request with the hash of every array that `inputs` were read with, and the numbers of those that are
// small and finite: what a session keeps. Arrays that `inputs` do not hold stay as they are.
Request with_kept_arrays(Request request, const Inputs& inputs);

}  // namespace headscope

// NumPy's .npy files, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <ostream>
#include <string>

#include "core/cancel.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;
};

// Reads float16/32/64, bool, and signed and unsigned integers, either byte order and either axis order, as float32;
// axes are all Axis::feature until the caller names them. The file is hostile: the header is at most 10,000 bytes,
// sizes are checked before anything is allocated, object and structured arrays are refused. Rank 0 reads as [1].
struct NpyArray {
  NpyHeader header;
  Tensor tensor;
  bool is_boolean = false;
  bool is_integer = false;
};
NpyArray read_npy(const std::string& path);

// Version 1.0, "<f4", C order. Streams: a computed tensor is read region by region.
void write_npy(std::ostream& out, const Tensor& tensor, const CancelToken& cancel = {});

}  // namespace headscope

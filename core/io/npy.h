// NumPy's .npy files, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>

#include "core/base/cancel.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  Shape shape;  // as the file says; rank 0 for a scalar
  std::size_t data_offset = 0;
};

// Reads float16/32/64, bool, and signed and unsigned integers, either byte order and either axis order, as float32;
// axes are all Axis::feature until the caller names them. The file is not trusted: the header is at most 10,000 bytes,
// sizes are checked before anything is allocated, object and structured arrays are refused. Rank 0 reads as [1]. Values
// up to 256 MB are copied, so that the file may be written again meanwhile; larger float32 files are mapped.
struct NpyArray {
  NpyHeader header;
  Tensor tensor;
  bool is_boolean = false;
  bool is_integer = false;
};
NpyArray read_npy(const std::string& path);

// The same from bytes in memory; `what` names them in errors. With an `owner`, which keeps `bytes` alive, aligned
// float32 values are a view of them; without, they are copied.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& what,
                   const std::shared_ptr<const void>& owner = {});

// The values of a .npy file in the order of the file, as float32, in pieces of some KB: for files larger than memory.
// Refuses what read_npy() refuses.
struct NpyVisitor {
  std::function<void(std::span<const float>)> values;
  std::function<void(std::int64_t count)> zeros;  // so many in a row, which lie in a hole of the file
  std::function<void(double share)> progress;     // of the file, in [0, 1]; may be empty
};
NpyHeader visit_npy(const std::string& path, const NpyVisitor& visitor, const CancelToken& cancel);

// The header alone: type, order, shape and where the values begin. Checks the data's length.
NpyHeader read_npy_header(std::span<const std::byte> bytes, const std::string& what);

// Version 1.0, "<f4", C order. Streams: a computed tensor is read region by region.
void write_npy(std::ostream& out, const Tensor& tensor, const CancelToken& cancel = {});

// The same for a tensor of 0 and 1, as "|b1".
void write_boolean_npy(std::ostream& out, const Tensor& tensor);

// The size in bytes of the file that write_npy writes for a tensor of this shape.
std::int64_t npy_file_size(const Shape& shape);

}  // namespace headscope

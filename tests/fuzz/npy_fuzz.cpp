// Whatever parse_npy accepts has as many values as its shape says, and comes through a round trip bit for bit.
#include <cstring>
#include <memory>
#include <sstream>

#include "core/base/error.h"
#include "core/io/npy.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const NpyArray array = parse_npy(fuzz::as_bytes(data, size), "fuzz.npy");
    // A bool or byte array grows fourfold, a view of the bytes not at all: both ways in must agree.
    const NpyArray view = parse_npy(fuzz::as_bytes(data, size), "fuzz.npy", std::make_shared<int>(0));
    const std::vector<float> values = array.tensor.values();
    fuzz::require(values.size() <= size, "no more values than bytes");
    fuzz::require(array.tensor.shape() == view.tensor.shape(), "a view has the same shape");
    std::ostringstream out;
    write_npy(out, view.tensor);
    const std::string written = out.str();
    fuzz::require(static_cast<std::int64_t>(written.size()) == npy_file_size(view.tensor.shape()), "the size is exact");
    const NpyArray back = parse_npy(std::as_bytes(std::span(written)), "back.npy");
    const std::vector<float> again = back.tensor.values();
    fuzz::require(back.tensor.shape() == array.tensor.shape(), "a round trip keeps the shape");
    fuzz::require(again.size() == values.size() &&
                      (values.empty() || std::memcmp(again.data(), values.data(), 4 * values.size()) == 0),
                  "a round trip keeps every bit");
  } catch (const Error&) {
  }
  return 0;
}

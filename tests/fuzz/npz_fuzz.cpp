// Whatever parse_npz accepts has arrays with no more values than the bytes that they were unpacked to.
#include "core/io/npz.h"

#include "core/base/error.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const NpzEntry& entry : parse_npz(fuzz::as_bytes(data, size), "fuzz.npz")) {
      try {
        if (entry.holds_numbers()) {
          fuzz::require(parse_npz_array(entry).tensor.values().size() <= entry.bytes.size(), "values have bytes");
        }
        if (entry.holds_texts()) parse_npz_texts(entry);
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
  return 0;
}

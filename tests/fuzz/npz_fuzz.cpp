// Whatever parse_npz accepts has arrays with no more values than the bytes that they were unpacked to.
#include "core/io/npz.h"

#include "core/base/error.h"
#include "tests/core/io/npz_files.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

void read_archive(std::span<const std::byte> bytes) {
  try {
    for (const NpzEntry& entry : parse_npz(bytes, "fuzz.npz")) {
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
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_archive(fuzz::as_bytes(data, size));
  // The same bytes as the array of an archive, whose checksum then need not be guessed.
  if (size > 0 && data[0] == 0x93) {
    const std::string archive = test::zip_of({{"a.npy", std::string(fuzz::as_text(data, size)), size % 2 == 0}});
    read_archive(std::as_bytes(std::span(archive)));
  }
  return 0;
}

// Whatever parse_safetensors_header accepts covers the file exactly, and each of its tensors can be read or is refused.
#include <memory>

#include "core/base/error.h"
#include "core/io/safetensors.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

void read_tensors(std::span<const std::byte> bytes) {
  const SafetensorsHeader header = parse_safetensors_header(bytes, "fuzz.safetensors");
  std::size_t covered = header.data_begin;
  for (const SafetensorsEntry& entry : header.entries) {
    covered += entry.end - entry.begin;
    try {
      const Tensor copied = safetensors_tensor(bytes, header, entry, "fuzz");
      const Tensor view = safetensors_tensor(bytes, header, entry, "fuzz", std::make_shared<int>(0));
      fuzz::require(copied.values().size() == view.values().size(), "a view has as many values");
    } catch (const Error&) {
    }
  }
  fuzz::require(covered == bytes.size(), "every byte belongs to one tensor");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_tensors(fuzz::as_bytes(data, size));
  } catch (const Error&) {
  }
  // The same bytes as a header's text, so that the length in front need not be guessed.
  const std::uint64_t length = size;
  std::string whole(reinterpret_cast<const char*>(&length), sizeof length);
  whole.append(fuzz::as_text(data, size));
  try {
    read_tensors(std::as_bytes(std::span(whole)));
  } catch (const Error&) {
  }
  return 0;
}

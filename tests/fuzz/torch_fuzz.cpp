// Whatever parse_torch accepts has tensors whose every number lies in the file. The input is a file, and the pickle of
// an archive and of a file before PyTorch 1.6, so that checksums and keys need not be guessed.
#include "core/base/error.h"
#include "core/io/torch_file.h"
#include "tests/core/io/pickle_files.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

void read_tensors(std::span<const std::byte> bytes) {
  try {
    const TorchContents contents = parse_torch(bytes, "fuzz.pt");
    fuzz::require(contents.tensors.size() == contents.storage_of.size(), "every tensor has a storage");
    for (std::size_t k = 0; k < contents.tensors.size(); ++k) {
      try {
        const Tensor copied = torch_tensor(bytes, contents, k, "fuzz");
        const Tensor view = torch_tensor(bytes, contents, k, "fuzz", std::make_shared<int>(0), true);
        fuzz::require(copied.values().size() == view.values().size(), "a view has as many values");
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_tensors(fuzz::as_bytes(data, size));
  const std::string pickle(fuzz::as_text(data, size));
  const std::string storage(64, '\x3f');
  for (const std::string& file :
       {test::torch_archive(pickle, {{"0", storage}}), test::legacy_torch_file(pickle, {{"0", storage}})}) {
    read_tensors(std::as_bytes(std::span(file)));
  }
  return 0;
}

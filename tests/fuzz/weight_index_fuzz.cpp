// Whatever model.safetensors.index.json is accepted names files that lie in the folder itself.
#include <filesystem>

#include "core/base/error.h"
#include "core/model/weight_files.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path folder = "/somewhere/model";
  try {
    const auto index = parse_weight_index(fuzz::as_text(data, size), "model.safetensors.index.json");
    fuzz::require(!index.empty(), "an index names tensors");
    for (const auto& [tensor, file] : index) {
      const std::filesystem::path path = (folder / file).lexically_normal();
      fuzz::require(path.parent_path() == folder && path.filename() == file, "files lie in the folder");
    }
  } catch (const Error&) {
  }
  return 0;
}

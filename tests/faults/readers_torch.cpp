// Files of torch.save.
#include "core/io/torch_file.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/pickle_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

std::string small_state() {
  return pickled_dict({{"a", pickled_tensor({{2, 2}, {1, 2}, 1, 6})}, {"b", pickled_tensor({{3}, {1}, 0, 6})}});
}

std::string read_whole_torch(const std::string& path) {
  const TensorFile file = open_torch(path);
  std::string text;
  for (const TensorEntry& entry : file.entries) {
    text += entry.name + " " + entry.dtype + " " + text_of(file.tensor(entry)) + text_of(file.weight(entry)) + "\n";
  }
  return text;
}

}  // namespace

std::vector<Reader> torch_readers() {
  return {
      {.name = "torch",
       .covers = "parse_torch open_torch parse_pickle core/io/torch_tensors.cpp core/io/tensor_formats.cpp "
                 "open_tensor_file",
       .file = "x.pt",
       .small =
           [] {
             return torch_archive(pickled(small_state()), {{"0", std::string(24, '\x3f')}});
           },
       .read = read_whole_torch,
       .fuzz = "torch",
       .reads = "zip"},
      {.name = "legacy_torch",
       .covers = "parse_torch open_torch",
       .file = "x.pt",
       .small =
           [] {
             return legacy_torch_file(pickled(small_state()), {{"0", std::string(24, '\x3f')}});
           },
       .read = read_whole_torch,
       .fuzz = "torch",
       .reads = "zip"},
  };
}

}  // namespace headscope::test

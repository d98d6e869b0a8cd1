// A checkpoint of 10 GB costs what is looked at, not what it holds.
#include <unistd.h>

#include <cstdint>
#include <system_error>

#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

// Pages of this process that lie in memory, in bytes.
std::int64_t resident_bytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST_F(CheckpointTest, TenGigabytesAreMappedNotRead) {
  nlohmann::json config = gpt2_config();
  config["vocab_size"] = 5'000'000;
  config["n_embd"] = 512;
  config["n_layer"] = 1;
  auto tensors = gpt2_tensors();
  std::erase_if(tensors, [](const FileTensor& tensor) { return tensor.name.starts_with("h.1."); });
  for (FileTensor& tensor : tensors) {
    for (std::int64_t& size : tensor.shape) size *= size == 5 ? 1'000'000 : size == 6 ? 1 : 128;
  }
  write("config.json", config.dump());
  std::uint64_t bytes = 0;
  write("model.safetensors", safetensors_header(tensors, bytes));
  // A hole in the file: it reads as zeros and takes no room on the disk.
  std::error_code error;
  const std::filesystem::path file = std::filesystem::path(folder()) / "model.safetensors";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) + bytes, error);
  if (error) GTEST_SKIP() << "no room for a file with a hole: " << error.message();
  const std::int64_t before = resident_bytes();
  ASSERT_GT(before, 0);
  const auto checkpoint = open();
  EXPECT_GT(checkpoint->bytes(), std::int64_t{10'000'000'000});
  EXPECT_EQ(checkpoint->embedding().word.at({4'999'999, 511}), 0.0f);
  EXPECT_EQ(checkpoint->block(0).attention.qkv.weight.at({1535, 511}), 0.0f);
  EXPECT_EQ(checkpoint->output_head().decoder.weight.shape(), (Shape{5'000'000, 512}));
  EXPECT_LT(resident_bytes() - before, std::int64_t{64} << 20);
}

}  // namespace
}  // namespace headscope

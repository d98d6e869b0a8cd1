// A GGUF model of many gigabytes costs what is looked at, and never as many floats as it has weights.
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "core/backend/backend_factory.h"
#include "core/model/checkpoint.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

#ifdef HEADSCOPE_SANITIZED
constexpr std::int64_t kMostResident = std::int64_t{500} << 20;  // a sanitizer holds on to what was freed
#else
constexpr std::int64_t kMostResident = std::int64_t{200} << 20;
#endif

// Pages of this process that lie in memory, in bytes.
std::int64_t resident_bytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// A Llama of d_model 1024 whose MLP has 2^17 features, in Q4_K.
test::GgufWriter large_llama(std::int64_t layers) {
  constexpr std::int64_t kWidth = 1024, kMlp = 1 << 17;
  test::GgufWriter file;
  file.text("general.architecture", "llama").u32("llama.block_count", static_cast<std::uint32_t>(layers));
  file.u32("llama.embedding_length", kWidth).u32("llama.attention.head_count", 16).u32("llama.context_length", 4096);
  file.u32("llama.feed_forward_length", kMlp).f32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  file.hole("token_embd.weight", {100'000, kWidth}, "Q6_K").hole("output_norm.weight", {kWidth}, "F32");
  for (std::int64_t n = 0; n < layers; ++n) {
    const std::string layer = "blk." + std::to_string(n) + ".";
    for (const char* norm : {"attn_norm.weight", "ffn_norm.weight"}) file.hole(layer + norm, {kWidth}, "F32");
    for (const char* matrix : {"attn_q.weight", "attn_k.weight", "attn_v.weight", "attn_output.weight"}) {
      file.hole(layer + matrix, {kWidth, kWidth}, "Q4_K");
    }
    for (const char* matrix : {"ffn_gate.weight", "ffn_up.weight"}) file.hole(layer + matrix, {kMlp, kWidth}, "Q4_K");
    file.hole(layer + "ffn_down.weight", {kWidth, kMlp}, "Q4_K");
  }
  return file;
}

class GgufLarge : public FilesTest {};

TEST_F(GgufLarge, TenGigabytesAreMappedAndUnpackedAsTheyAreUsed) {
  const test::GgufWriter writer = large_llama(48);
  const std::string file = write_text("model.gguf", writer.header());
  std::error_code error;
  // A hole in the file: it reads as zeros and takes no room on the disk.
  std::filesystem::resize_file(file, std::filesystem::file_size(file) + writer.holes(), error);
  if (error) GTEST_SKIP() << "no room for a file with a hole: " << error.message();
  const std::int64_t before = resident_bytes();
  ASSERT_GT(before, 0);
  const auto checkpoint = Checkpoint::open(file);
  EXPECT_GT(checkpoint->bytes(), std::int64_t{10'000'000'000});
  EXPECT_EQ(checkpoint->embedding().word.at({99'999, 1023}), 0.0F);
  EXPECT_EQ(checkpoint->block(47).attention.query.weight.at({1023, 1023}), 0.0F);
  EXPECT_LT(resident_bytes() - before, std::int64_t{64} << 20);

  // 2^27 weights: 512 MB as floats, 72 MB in the file.
  const BlockWeights block = checkpoint->block(0);
  const Tensor x = Tensor::zeros({1, 2, 1024}, {Axis::batch, Axis::position, Axis::feature});
  const Tensor y = make_backend({BackendChoice::cpu, 1})->linear(x, block.up.weight, {}, CancelToken());
  EXPECT_EQ(y.at({0, 1, (1 << 17) - 1}), 0.0F);
  EXPECT_LT(resident_bytes() - before, kMostResident);
}

}  // namespace
}  // namespace headscope

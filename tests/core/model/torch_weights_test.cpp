// Checkpoints and layers that torch.save wrote: PyTorch's own files (tests/golden/make_torch_files.py) against the same
// numbers as safetensors.
#include "core/base/error.h"
#include "core/model/folder_stamp.h"
#include "tests/core/io/npz_files.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

const std::string kWeightsModels = HEADSCOPE_SOURCE_DIR "/tests/golden/models/";
const std::string kTorchFiles = HEADSCOPE_SOURCE_DIR "/tests/golden/torch_files/";

bool weights_same_bits(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  const std::vector<float> x = a.values(), y = b.values();
  return a.shape() == b.shape() && a.number_type() == b.number_type() &&
         (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0);
}

void expect_same(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.architecture(), b.architecture());
  EXPECT_EQ(a.parameters(), b.parameters());
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_EQ(a.dtypes(), b.dtypes());
  EXPECT_EQ(a.unexpected(), b.unexpected());
  EXPECT_TRUE(weights_same_bits(a.embedding().word, b.embedding().word));
  EXPECT_TRUE(weights_same_bits(a.embedding().position, b.embedding().position));
  for (std::int64_t layer = 0; layer < a.architecture().num_layers; ++layer) {
    const BlockWeights x = a.block(layer), y = b.block(layer);
    EXPECT_EQ(sha256_of(x.attention), sha256_of(y.attention));
    EXPECT_TRUE(weights_same_bits(x.attention.query.weight, y.attention.query.weight));
    EXPECT_TRUE(weights_same_bits(x.attention.qkv.weight, y.attention.qkv.weight));
    EXPECT_TRUE(weights_same_bits(x.attention_norm.weight, y.attention_norm.weight));
    EXPECT_TRUE(weights_same_bits(x.gate.weight, y.gate.weight));
    EXPECT_TRUE(weights_same_bits(x.up.weight, y.up.weight));
    EXPECT_TRUE(weights_same_bits(x.down.weight, y.down.weight));
  }
  EXPECT_EQ(a.output_head().kind, b.output_head().kind);
  EXPECT_TRUE(weights_same_bits(a.output_head().decoder.weight, b.output_head().decoder.weight));
}

class TorchWeights : public CheckpointTest {
 protected:
  void copy_config(const std::string& model) const {
    std::filesystem::create_directories(folder());
    std::filesystem::copy_file(kWeightsModels + model + "/config.json", folder() + "/config.json");
  }
  void copy(const std::string& file, const std::string& as) const {
    std::filesystem::copy_file(kTorchFiles + file, folder() + "/" + as);
  }
};

TEST_F(TorchWeights, OpenAsTheSameModel) {
  struct Case {
    const char* model;
    const char* file;
    const char* as;
  };
  const Case cases[] = {
      {"gpt2", "gpt2.bin", "pytorch_model.bin"}, {"gpt2", "gpt2-legacy.bin", "pytorch_model.bin"},
      {"gpt2", "gpt2.bin", "model.pt"},          {"gpt2", "gpt2-legacy.bin", "consolidated.00.pth"},
      {"nanogpt", "nanogpt.bin", "ckpt.pt"},     {"llama-bf16", "llama-bf16.bin", "pytorch_model.bin"}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.file);
    copy_config(each.model);
    copy(each.file, each.as);
    const auto checkpoint = open();
    EXPECT_EQ(checkpoint->files(), std::vector<std::string>{each.as});
    expect_same(*checkpoint, *Checkpoint::open(kWeightsModels + each.model));
    std::filesystem::remove_all(folder());
  }
}

TEST_F(TorchWeights, OpenFromShards) {
  copy_config("llama-bf16");
  copy("llama-bf16.bin.index.json", "pytorch_model.bin.index.json");
  copy("llama-bf16-00001-of-00002.bin", "llama-bf16-00001-of-00002.bin");
  expect_refused({"pytorch_model.bin.index.json", "1 of 2 files that it names are missing"});
  copy("llama-bf16-00002-of-00002.bin", "llama-bf16-00002-of-00002.bin");
  expect_same(*open(), *Checkpoint::open(kWeightsModels + "llama-bf16"));
}

TEST_F(TorchWeights, SafetensorsWins) {
  copy_config("gpt2");
  write("pytorch_model.bin", "nothing that can be read");
  std::filesystem::copy_file(kWeightsModels + "gpt2/model.safetensors", folder() + "/model.safetensors");
  EXPECT_EQ(open()->files(), std::vector<std::string>{"model.safetensors"});
  std::filesystem::remove(folder() + "/model.safetensors");
  expect_refused({"pytorch_model.bin"});
}

TEST_F(TorchWeights, OnePtIsTheModelBesideWhatTrainingKeeps) {
  copy_config("gpt2");
  copy("gpt2.bin", "model.pt");
  for (const char* name : {"optimizer.pt", "scheduler.pt", "rng_state_0.pth", "training_args.bin"}) write(name, "x");
  EXPECT_EQ(open()->files(), std::vector<std::string>{"model.pt"});
  write("other.pth", "x");
  expect_refused({"2 files that may hold the model: model.pt, other.pth", "pytorch_model.bin"});
}

TEST_F(TorchWeights, ANumpyArchiveIsRefusedWithTheWayOut) {
  copy_config("gpt2");
  write("model.npz", "PK");
  expect_refused({"it holds model.npz, a NumPy .npz archive", "safetensors.numpy.save_file", "model.safetensors"});
}

TEST_F(TorchWeights, AChangedFileIsNoticed) {
  copy_config("gpt2");
  copy("gpt2.bin", "pytorch_model.bin");
  const FolderStamp stamp(folder());
  EXPECT_TRUE(stamp.unchanged());
  std::filesystem::resize_file(folder() + "/pytorch_model.bin", 100);
  EXPECT_FALSE(stamp.unchanged());
}

TEST_F(TorchWeights, OneLayer) {
  const std::string expected = sha256_of(read_layer_weights(kTorchFiles + "layer.safetensors", QkvLayout::automatic));
  for (const char* name : {"layer.pt", "layer-legacy.pt"}) {
    EXPECT_EQ(sha256_of(read_layer_weights(kTorchFiles + name, QkvLayout::automatic)), expected) << name;
  }
  EXPECT_EQ(sha256_of(read_layer_weights(kTorchFiles + "training.pt", QkvLayout::automatic)),
            sha256_of(read_layer_weights(kTorchFiles + "training.safetensors", QkvLayout::automatic)));
  const auto refused = [](const std::string& file, const std::vector<std::string>& parts) {
    expect_refusal<Error>([&] { read_layer_weights(file, QkvLayout::automatic); }, parts);
  };
  refused(kTorchFiles + "tensors.pt", {"tensors.pt", "expected one attention layer"});
  refused(write_text("layer.npz", test::zip_of({{"q.npy", "x"}})), {"layer.npz: a NumPy .npz archive", "save_file"});
  refused(write_text("model.onnx", "x"), {"model.onnx", "an ONNX model", "open the model that it was exported from"});
  expect_refusal<Error>([&] { Checkpoint::open(path("model.onnx")); }, {"model.onnx", "an ONNX model"});
  refused(write_text("a.pt", "\x80\x04}."), {"a.pt", "a Python pickle"});
  refused(write_text("b.pt", "\x80\x04\x95"), {"b.pt", "a Python pickle"});
}

}  // namespace
}  // namespace headscope

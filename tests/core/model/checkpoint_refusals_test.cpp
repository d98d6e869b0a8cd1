// Folders that do not open, and what the one sentence about them says.
#include "core/base/error.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

using CheckpointRefusals = CheckpointTest;

TEST_F(CheckpointRefusals, NoFolderNoConfig) {
  expect_refusal<Error>([this] { Checkpoint::open(path("nowhere")); }, {"nowhere", "is not there"});
  write_text("file", "x");
  expect_refusal<Error>([this] { Checkpoint::open(path("file")); }, {"is no folder", "expected a checkpoint folder"});
  write("model.safetensors", safetensors_bytes(gpt2_tensors()));
  expect_refused({"no config.json"});
}

TEST_F(CheckpointRefusals, NamesWhatItHoldsInstead) {
  write("config.json", gpt2_config().dump());
  expect_refused({"neither model.safetensors nor model.safetensors.index.json", "config.json"});
  write("pytorch_model.bin", "PK\x03\x04");
  expect_refused({"pytorch_model.bin", "damaged zip archive"});
  write("model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n");
  expect_refused({"model.safetensors", "a Git LFS pointer (run git lfs pull)"});
  write("model.safetensors", "<!DOCTYPE html><html></html>");
  expect_refused({"an HTML page"});
  write("model.safetensors", "");
  expect_refused({"model.safetensors"});
  const std::string whole = safetensors_bytes(gpt2_tensors());
  write("model.safetensors", whole.substr(0, whole.size() / 2));
  expect_refused({"a download cut short?"});
  write("model.safetensors", whole.substr(0, 100));
  expect_refused({"ends within its header"});
  write("model.safetensors", whole);
  EXPECT_NE(open(), nullptr);
  write("config.json", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n");
  expect_refused({"config.json", "not JSON: it is a Git LFS pointer"});
  write("config.json", "{\"model_type\": \"gpt2\"");
  expect_refused({"config.json", "not valid JSON"});
}

TEST_F(CheckpointRefusals, MissingTensorsAreListed) {
  auto tensors = gpt2_tensors();
  std::erase_if(tensors, [](const FileTensor& tensor) { return tensor.name == "h.1.mlp.c_fc.bias"; });
  tensors.push_back({"h.1.mlp.c_fc.bais", {16}});
  write_model(gpt2_config(), tensors);
  expect_refused({"1 tensor is not", "h.1.mlp.c_fc.bias [16] is missing", "found and not known: h.1.mlp.c_fc.bais"});

  nlohmann::json config = gpt2_config();
  config["n_layer"] = 4;  // 24 tensors more than there are
  write_model(config, gpt2_tensors());
  expect_refused({"24 tensors are not", "h.2.ln_1.weight [4] is missing", "and 14 more"});
}

TEST_F(CheckpointRefusals, WrongShapesAndDtypesAreListed) {
  auto tensors = gpt2_tensors("transformer.");
  for (FileTensor& tensor : tensors) {
    if (tensor.name == "transformer.h.0.attn.c_attn.weight") tensor.shape = {12, 4};
    if (tensor.name == "transformer.h.0.ln_1.weight") tensor.dtype = "I64";
    if (tensor.name == "transformer.wpe.weight") tensor.shape = {5, 4};
  }
  write_model(gpt2_config(), tensors);
  expect_refused({"3 tensors are not", "transformer.wpe.weight is [5, 4], expected [6, 4]",
                  "transformer.h.0.attn.c_attn.weight is [12, 4], expected [4, 12]",
                  "transformer.h.0.ln_1.weight is I64, expected F32, F16 or BF16"});
}

TEST_F(CheckpointRefusals, AnotherModelsWeights) {
  write_model(gpt2_config(), {{"conv.weight", {4, 3, 2, 2, 2, 2}}, {"fc.weight", {4, 4}}});
  expect_refused({"wte.weight [5, 4] is missing", "found and not known: conv.weight, fc.weight"});
}

TEST_F(CheckpointRefusals, HugeNumbersCostNothing) {
  nlohmann::json config = gpt2_config();
  config["vocab_size"] = 16'000'000;
  config["n_embd"] = 16'000'000;
  config["n_layer"] = 10'000;
  config["n_positions"] = std::int64_t{1} << 40;
  write_model(config, gpt2_tensors());
  expect_refused({"wte.weight is [5, 4], expected [16000000, 16000000]", "more"});
}

}  // namespace
}  // namespace headscope

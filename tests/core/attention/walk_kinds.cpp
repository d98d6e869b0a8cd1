// The kinds of models that walks go through, and the files that their options read.
#include <filesystem>
#include <fstream>
#include <string_view>

#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/demo_checkpoints.h"
#include "tests/core/attention/drawn_request.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/model/adapter_files.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const std::string kGolden = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/";

void write(const TemporaryFolder& folder, const std::string& name, const Tensor& tensor) {
  std::ofstream out(folder / name, std::ios::binary);
  write_npy(out, tensor);
}

// 1 in three of four places.
Tensor mostly_ones(const Shape& shape) {
  std::vector<float> values;
  for (std::int64_t k = 0; k < element_count(shape); ++k) values.push_back(k % 4 == 2 ? 0.0F : 1.0F);
  return Tensor::of(shape, axes_of_rank(shape.count), std::move(values));
}

// As torch.nn.MultiheadAttention saves it, three heads of four features.
void write_layer(const TemporaryFolder& folder, const std::string& name, bool extra_key) {
  const Tensor in = random_tensor({36, 12}, 21), in_bias = random_tensor({36}, 22), out = random_tensor({12, 12}, 23),
               out_bias = random_tensor({12}, 24), key = random_tensor({1, 1, 12}, 25),
               value = random_tensor({1, 1, 12}, 26);
  std::vector<NamedTensorRef> tensors{
      {"in_proj_weight", &in}, {"in_proj_bias", &in_bias}, {"out_proj.weight", &out}, {"out_proj.bias", &out_bias}};
  if (extra_key) tensors.insert(tensors.end(), {{"bias_k", &key}, {"bias_v", &value}});
  std::ofstream file(folder / name, std::ios::binary);
  write_safetensors(file, tensors, {});
}

std::vector<std::string> folders_of(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (fs::is_regular_file(entry.path() / "config.json")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

const std::vector<std::string> kWords = {"a", "b", "cat", "dog", "the", "of", "x", "yes", "no", "é"};

// On the processor, for other backends may be slow, with one thread, for each run makes its threads.
WalkKind kind_of(std::string name, Settings base, std::vector<std::string> words = kWords) {
  put_setting(base, "backend", "cpu");
  put_setting(base, "threads", "1");
  return {std::move(name), std::move(base), std::move(words)};
}

}  // namespace

void write_walk_files(const TemporaryFolder& folder) {
  const std::vector<float> rows = random_values(std::int64_t{12} * 12, 3);
  for (const std::int64_t len : {4, 5, 8}) {  // the longer begin as the shorter do
    const std::vector<float> values(rows.begin(), rows.begin() + len * 12);
    write(folder, "input-" + std::to_string(len) + ".npy", tensor_of({1, len, 12}, values));
  }
  write(folder, "input-2x5.npy", random_tensor({2, 5, 12}, 4));
  write(folder, "key-input-3.npy", random_tensor({1, 3, 12}, 5));
  write(folder, "key-input-5.npy", random_tensor({1, 5, 12}, 6));
  write(folder, "value-input-3.npy", random_tensor({1, 3, 12}, 7));
  for (const std::int64_t len : {4, 6}) {
    write(folder, "query-" + std::to_string(len) + ".npy", random_tensor({1, 3, len, 4}, 8));
    write(folder, "key-" + std::to_string(len) + ".npy", random_tensor({1, 3, len, 4}, 9));
    write(folder, "value-" + std::to_string(len) + ".npy", random_tensor({1, 3, len, 4}, 10));
  }
  write(folder, "key-past-2.npy", random_tensor({1, 3, 2, 4}, 11));
  write(folder, "value-past-2.npy", random_tensor({1, 3, 2, 4}, 12));
  for (const std::int64_t features : {4, 12, 16, 64}) {
    write(folder, "array-" + std::to_string(features) + ".npy", random_tensor({features}, 15));
  }
  write(folder, "array-2x4.npy", random_tensor({2, 4}, 16));
  write(folder, "dropout-mask-1.npy", mostly_ones({1, 1, 1, 1}));
  write(folder, "dropout-mask-3.npy", mostly_ones({3, 1, 1}));
  write(folder, "dropout-mask-4.npy", mostly_ones({4, 4}));
  write(folder, "dropout-mask-5.npy", mostly_ones({5, 5}));
  write(folder, "mask-4.npy", random_tensor({4, 4}, 13));
  write(folder, "mask-5.npy", mostly_ones({1, 5}));
  write(folder, "mask-1.npy", random_tensor({3, 1, 1}, 14));
  std::ofstream(folder / "mask-6.csv") << "0,-inf,0,0,0,0\n";
  MadeAdapter adapter, of_a_layer;
  adapter.add("layers.0.qkv", 192, 64);
  adapter.add("layers.1.output", 64, 64);
  adapter.write(folder / "adapter");
  of_a_layer.add("layers.1.qkv", 192, 64);
  of_a_layer.write(folder / "adapter-of-a-layer");
  write_layer(folder, "weights-1.safetensors", false);
  write_layer(folder, "weights-2.safetensors", true);
  fs::copy_file(kGolden + "vision_models/image.png", folder / "image-1.png");
  fs::copy_file(kGolden + "encoder_decoders/whisper/features.npy", folder / "features-1.npy");
}

std::vector<WalkKind> layer_kinds(const TemporaryFolder& files) {
  const Settings drawn{{"d-model", "12"}, {"heads", "3"}};
  const auto with = [&](Settings more, Settings base) {
    base.insert(base.end(), more.begin(), more.end());
    return base;
  };
  std::string long_phrase = "w0";
  for (int word = 1; word < 36; ++word) long_phrase += " w" + std::to_string(word * 7 % 29);
  return {kind_of("seeded", with({{"phrase", "a b cat dog"}}, drawn)),
          kind_of("seeded, causal", with({{"phrase", "a b cat dog"}, {"mask", "causal"}}, drawn)),
          kind_of("seeded, causal", with({{"phrase", "the cat"}, {"mask", "causal"}, {"kv-heads", "1"}}, drawn)),
          kind_of("seeded, long", with({{"phrase", long_phrase}}, drawn)),
          kind_of("seeded, long, causal", with({{"phrase", long_phrase}, {"mask", "causal"}}, drawn)),
          kind_of("cross-attention", with({{"phrase", "a b cat dog"}, {"key-phrase", "the dog x"}}, drawn)),
          kind_of("input", with({{"input", files / "input-5.npy"}, {"mask", "causal"}}, drawn)),
          kind_of("weights", {{"weights", files / "weights-1.safetensors"},
                              {"heads", "3"},
                              {"phrase", "a b cat dog"},
                              {"mask", "causal"}}),
          kind_of("bias_k", {{"weights", files / "weights-2.safetensors"}, {"heads", "3"}, {"phrase", "a b cat dog"}}),
          kind_of("alone",
                  {{"query", files / "query-4.npy"}, {"key", files / "key-4.npy"}, {"value", files / "value-4.npy"}})};
}

std::vector<WalkKind> demo_kinds() {
  std::vector<WalkKind> kinds;
  for (const std::string& name : demo_names()) {
    const std::string model = "demo:" + name;
    if (name == "induction") {
      kinds.push_back(
          kind_of(model, {{"model", model}, {"phrase", "cat box ink"}}, {"cat", "box", "ink", "fox", "jam"}));
    } else {
      kinds.push_back(kind_of(model, {{"model", model}, {"token-ids", "3,1,4,1,5"}}));
    }
  }
  return kinds;
}

std::vector<WalkKind> golden_kinds() {
  std::vector<WalkKind> kinds;
  for (const std::string& name : folders_of(kGolden + "models")) {
    kinds.push_back(kind_of(name, {{"model", kGolden + "models/" + name}, {"token-ids", "3,1,4"}}));
  }
  return kinds;
}

std::vector<WalkKind> encoder_kinds() {
  std::vector<WalkKind> kinds;
  for (const std::string& name : folders_of(kGolden + "encoder_decoders")) {
    const std::string model = kGolden + "encoder_decoders/" + name;
    Settings base{{"model", model}, {"decoder-ids", "2,5,7"}};
    const std::string features = model + "/features.npy";
    if (fs::exists(features)) {
      put_setting(base, "features", features);
    } else {
      put_setting(base, "token-ids", "3,1,4,1");
    }
    kinds.push_back(kind_of(name, base));
  }
  for (const std::string& name : folders_of(kGolden + "vision_models")) {
    kinds.push_back(
        kind_of(name, {{"model", kGolden + "vision_models/" + name}, {"image", kGolden + "vision_models/image.png"}}));
  }
  return kinds;
}

}  // namespace headscope

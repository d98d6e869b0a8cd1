// The files of a checkpoint's folder, and captures.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "core/io/npy.h"
#include "core/model/capture.h"
#include "core/model/checkpoint.h"
#include "core/text/tokenizer.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"
#include "tests/core/model/checkpoint_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string itself(const std::string& json) {
  return json;
}

// GPT-2 with a layer.
std::string small_config() {
  nlohmann::json config = gpt2_config();
  config["n_layer"] = 1;
  return config.dump();
}

std::vector<FileTensor> small_tensors() {
  std::vector<FileTensor> tensors = gpt2_tensors();
  std::erase_if(tensors, [](const FileTensor& each) { return each.name.starts_with("h.1."); });
  return tensors;
}

std::string small_model() {
  return safetensors_bytes(small_tensors());
}

constexpr const char* kShard = "model-00001-of-00001.safetensors";

std::string small_index() {
  nlohmann::json map;
  for (const FileTensor& tensor : small_tensors()) map[tensor.name] = kShard;
  return nlohmann::json{{"weight_map", map}}.dump();
}

std::string small_vocabulary() {
  return R"({"model":{"type":"WordLevel","unk_token":"u","vocab":{"u":0,"a":1,"b":2,"c":3,"d":4}}})";
}

std::string sha_of(const LayerWeights& weights) {
  return weights.empty() ? "none" : sha256_of(weights);
}

std::string read_checkpoint(const std::string& path) {
  const auto checkpoint = Checkpoint::open(std::filesystem::path(path).parent_path().string());
  const Architecture& model = checkpoint->architecture();
  std::string text = fmt::format("{} {} {} {} {} {}", model.num_layers, model.num_heads, model.d_model,
                                 model.vocab_size, model.max_positions, model.norm_eps);
  text += text_of(checkpoint->embedding().word) + sha_of(checkpoint->block(0).attention) +
          text_of(checkpoint->block(0).down.weight) + text_of(checkpoint->output_head().final_norm.weight);
  for (const std::string& name : checkpoint->unexpected()) text += " " + name;
  const auto tokenizer = checkpoint->tokenizer();
  return text + (tokenizer == nullptr ? " no tokenizer" : fmt::format("{}", tokenizer->kind()));
}

Files beside_config() {
  return {{"model.safetensors", small_model()}};
}

Files beside_model() {
  return {{"config.json", small_config()}};
}

Files beside_index() {
  return {{"config.json", small_config()}, {kShard, small_model()}};
}

Files beside_shard() {
  return {{"config.json", small_config()}, {"model.safetensors.index.json", small_index()}};
}

std::string npy_of(const Tensor& tensor) {
  std::ostringstream out;
  write_npy(out, tensor);
  return out.str();
}

// Two heads whose rows add up to 1.
Tensor small_weights() {
  return Tensor::of({1, 2, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key},
                    {1, 0, 0.25F, 0.75F, 1, 0, 0.5F, 0.5F});
}

std::string small_capture() {
  std::ostringstream out;
  const Tensor weights = small_weights();
  write_safetensors(out, {{"layers.0.weights", &weights}}, {{"tokens", R"(["the","cat"])"}});
  return out.str();
}

std::string small_npz() {
  return zip_of({{"arr_0.npy", npy_of(small_weights()), true}});
}

std::string read_whole_capture(const std::string& path) {
  const Capture capture = read_capture(path);
  std::string text;
  for (const CapturedLayer& layer : capture.layers) text += text_of(layer.weights) + text_of(layer.query) + "\n";
  for (const std::string& token : capture.tokens) text += token + "|";
  return text;
}

// The capture that lies beside a file of tokens.
std::string read_tokens(const std::string& path) {
  return read_whole_capture((std::filesystem::path(path).parent_path() / "x.npy").string());
}

Files beside_tokens() {
  return {{"x.npy", npy_of(small_weights())}};
}

const std::vector<Reader> kRows = {
    {.name = "config",
     .covers = "Checkpoint::open read_json_text core/model/weight_files.cpp",
     .file = "config.json",
     .small = small_config,
     .read = read_checkpoint,
     .beside = beside_config,
     .of_json = itself,
     .small_json = small_config},
    {.name = "model",
     .covers = "Checkpoint::open WeightFiles::open",
     .file = "model.safetensors",
     .small = small_model,
     .read = read_checkpoint,
     .beside = beside_model,
     .says = "config.json needs"},
    {.name = "index",
     .covers = "WeightFiles::open parse_weight_index",
     .file = "model.safetensors.index.json",
     .small = small_index,
     .read = read_checkpoint,
     .beside = beside_index,
     .of_json = itself,
     .small_json = small_index},
    {.name = "shard",
     .covers = "WeightFiles::open",
     .file = kShard,
     .small = small_model,
     .read = read_checkpoint,
     .beside = beside_shard,
     .says = "model.safetensors.index.json"},
    {.name = "checkpoint_tokenizer",
     .covers = "Checkpoint::open",
     .file = "tokenizer.json",
     .small = small_vocabulary,
     .read = read_checkpoint,
     .beside =
         [] {
           Files files = beside_config();
           files.emplace_back("config.json", small_config());
           return files;
         },
     .of_json = itself,
     .small_json = small_vocabulary,
     .passes_over = "parts that no step reads are not held"},
    {.name = "capture",
     .covers = "read_capture read_capture_file",
     .file = "x.safetensors",
     .small = small_capture,
     .read = read_whole_capture},
    {.name = "capture_npy",
     .covers = "read_capture",
     .file = "x.npy",
     .small = [] { return npy_of(small_weights()); },
     .read = read_whole_capture},
    {.name = "capture_npz",
     .covers = "read_capture",
     .file = "x.npz",
     .small = small_npz,
     .read = read_whole_capture,
     .reads = "npz"},
    {.name = "tokens_json",
     .covers = "read_capture read_token_file parse_token_list core/model/capture_tokens.cpp",
     .file = "x.tokens.json",
     .small = [] { return std::string(R"({"tokens":["the","cat"]})"); },
     .read = read_tokens,
     .beside = beside_tokens,
     .of_json = itself,
     .small_json = [] { return std::string(R"({"tokens":["the","cat"]})"); }},
    {.name = "tokens_text",
     .covers = "read_capture read_token_file",
     .file = "x.tokens.txt",
     .small = [] { return std::string("the\ncat\n"); },
     .read = read_tokens,
     .beside = beside_tokens,
     .cut_unseen = "a word may end after any letter",
     .any_text = "a token a line"},
};

}  // namespace

std::vector<Reader> model_readers() {
  return kRows;
}

}  // namespace headscope::test

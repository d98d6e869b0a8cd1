// `info`: what a file holds.
#include <cmath>
#include <limits>

#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Info : public CommandTest {
 protected:
  nlohmann::json json_of(const std::string& path) {
    const Result result = cli({"info", path, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(cli({"info", path}).code, 0);
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  void write_tensors(const std::string& name, const std::vector<std::pair<std::string, Shape>>& tensors,
                     const std::map<std::string, std::string>& metadata = {}) const {
    std::vector<Tensor> kept;
    for (const auto& [tensor_name, shape] : tensors) {
      Axes axes;
      for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
      kept.push_back(Tensor::zeros(shape, axes));
    }
    std::vector<NamedTensorRef> refs;
    for (std::size_t k = 0; k < tensors.size(); ++k) refs.push_back({tensors[k].first, &kept[k]});
    std::ofstream out(folder_ / name, std::ios::binary);
    write_safetensors(out, refs, metadata);
  }
};

TEST_F(Info, NpyArrays) {
  write_array("x", {2, 3}, {1, 2, std::nanf(""), 4, -std::numeric_limits<float>::infinity(), 6});
  nlohmann::json info = json_of("x.npy");
  EXPECT_EQ(info["kind"], "npy");
  EXPECT_EQ(info["dtype"], "float32");
  EXPECT_EQ(info["shape"], (std::vector<int>{2, 3}));
  EXPECT_EQ(info["order"], "c");
  EXPECT_EQ(info["min"], 1);
  EXPECT_EQ(info["max"], 6);
  EXPECT_EQ(info["mean"], 3.25);
  EXPECT_EQ(info["nan_count"], 1);
  EXPECT_EQ(info["inf_count"], 1);
  write_array("nan", {1}, {std::nanf("")});
  EXPECT_EQ(json_of("nan.npy")["min"], "nan");
}

TEST_F(Info, NpyOfOtherTypes) {
  const auto npy = [&](const std::string& name, const std::string& descr, const std::string& order,
                       const std::string& data) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (2,), }";
    header.resize(117, ' ');
    header += '\n';
    folder_.write(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data);
  };
  npy("bool.npy", "|b1", "False", std::string("\x01\x00", 2));
  EXPECT_EQ(json_of("bool.npy")["dtype"], "bool");
  npy("int.npy", "<i8", "True", std::string("\x05\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(json_of("int.npy")["dtype"], "int64");
  EXPECT_EQ(json_of("int.npy")["order"], "fortran");
  EXPECT_EQ(json_of("int.npy")["max"], 7);
}

TEST_F(Info, AttentionLayersOfEveryConvention) {
  write_tensors("fused.safetensors",
                {{"qkv_layer.weight", {24, 6}},
                 {"qkv_layer.bias", {24}},
                 {"linear_layer.weight", {8, 8}},
                 {"linear_layer.bias", {8}}},
                {{"num_heads", "2"}});
  nlohmann::json fused = json_of("fused.safetensors");
  EXPECT_EQ(fused["kind"], "attention_layer");
  EXPECT_EQ(fused["layer"]["input_dim"], 6);
  EXPECT_EQ(fused["layer"]["d_model"], 8);
  EXPECT_EQ(fused["layer"]["num_heads"], 2);
  EXPECT_EQ(fused["layer"]["bias"], true);
  EXPECT_EQ(fused["metadata"]["num_heads"], "2");
  EXPECT_EQ(fused["tensors"].size(), 4u);

  write_tensors("torch.safetensors", {{"in_proj_weight", {24, 8}}, {"out_proj.weight", {8, 8}}});
  nlohmann::json torch = json_of("torch.safetensors");
  EXPECT_NE(torch["layer"]["convention"].get<std::string>().find("[Q K V]"), std::string::npos);
  EXPECT_EQ(torch["layer"]["num_heads"], nullptr);

  write_tensors("separate.safetensors",
                {{"queries.weight", {8, 8}}, {"keys.weight", {8, 8}}, {"values.weight", {8, 8}}});
  EXPECT_EQ(json_of("separate.safetensors")["layer"]["output_projection"], false);

  write_tensors("xw.safetensors", {{"Wq", {6, 8}}, {"Wk", {6, 8}}, {"Wv", {6, 8}}});
  EXPECT_EQ(json_of("xw.safetensors")["layer"]["input_dim"], 6);
  EXPECT_EQ(json_of("xw.safetensors")["layer"]["d_model"], 8);
}

TEST_F(Info, OtherSafetensors) {
  write_tensors("any.safetensors", {{"h.0.mlp", {3, 2}}}, {{"format", "pt"}});
  nlohmann::json any = json_of("any.safetensors");
  EXPECT_EQ(any["kind"], "safetensors");
  EXPECT_EQ(any["tensors"][0]["name"], "h.0.mlp");
  EXPECT_EQ(any["tensors"][0]["dtype"], "F32");
  EXPECT_EQ(any["tensors"][0]["shape"], (std::vector<int>{3, 2}));
  write_tensors("capture.safetensors", {{"layers.0.weights", {1, 2, 3, 3}}}, {{"tokens", "[\"a\"]"}});
  EXPECT_EQ(json_of("capture.safetensors")["kind"], "capture");
  // Looks like a layer and is none: said, and what it holds is still listed.
  write_tensors("odd.safetensors", {{"qkv_layer.weight", {25, 6}}});
  EXPECT_TRUE(json_of("odd.safetensors")["layer"].contains("unusable"));
}

TEST_F(Info, SessionsAreShownAsTheCommandThatRunsThem) {
  folder_.write("s.json", R"({"phrase": "it's here", "heads": 4, "mask": "causal"})");
  nlohmann::json info = json_of("s.json");
  EXPECT_EQ(info["kind"], "session");
  EXPECT_EQ(info["request"]["heads"], 4);
  EXPECT_EQ(info["command"], R"(headscope-cli run --phrase 'it'\''s here' --heads 4 --mask causal)");
}

TEST_F(Info, PicturesWithAndWithoutARecipe) {
  ASSERT_EQ(cli({"render", "--phrase", "a b", "--heads", "2", "--d-model", "8", "--out", "p.png"}).code, 0);
  nlohmann::json info = json_of("p.png");
  EXPECT_EQ(info["kind"], "picture");
  EXPECT_EQ(info["request"]["phrase"], "a b");
  EXPECT_EQ(info["weights_sha256"].get<std::string>().size(), 64u);
  EXPECT_TRUE(info.contains("view"));
  std::ofstream out(folder_ / "plain.png", std::ios::binary);
  write_png(out, Image(7, 5), {});
  out.close();
  nlohmann::json plain = json_of("plain.png");
  EXPECT_EQ(plain["recipe"], false);
  EXPECT_EQ(plain["width"], 7);
  EXPECT_EQ(plain["height"], 5);
}

TEST_F(Info, CheckpointFolders) {
  const std::string models = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";
  nlohmann::json info = json_of(models + "llama-bf16");
  EXPECT_EQ(info["kind"], "checkpoint");
  EXPECT_EQ(info["architecture"], "llama");
  EXPECT_EQ(info["num_layers"], 2);
  EXPECT_EQ(info["num_heads"], 4);
  EXPECT_EQ(info["num_kv_heads"], 2);
  EXPECT_EQ(info["d_model"], 16);
  EXPECT_EQ(info["head_dim"], 4);
  EXPECT_EQ(info["position"], "rotary");
  EXPECT_EQ(info["output_head"], "next token");
  EXPECT_EQ(info["dtypes"], std::vector<std::string>{"BF16"});
  EXPECT_EQ(info["bytes"], 2 * info["parameters"].get<int>());
  EXPECT_EQ(info["tokenizer"], nullptr);
  EXPECT_EQ(info["unexpected_tensors"].size(), 0u);
  EXPECT_EQ(info["config"]["vocab_size"], 24);
  EXPECT_EQ(info["files"].size(), 3u);
  EXPECT_NE(cli({"info", models + "llama"}).out.find("4 heads (2 key and value heads)"), std::string::npos);
  const nlohmann::json demo = json_of("demo:pronouns");
  EXPECT_EQ(demo["architecture"], "attention_only");
  EXPECT_EQ(demo["tokenizer"]["kind"], "WordLevel");
  EXPECT_EQ(demo["tokenizer"]["vocabulary_size"], demo["vocab_size"]);
  EXPECT_EQ(json_of(models + "mistral")["sliding_window"], 3);
  EXPECT_EQ(json_of(models + "bert")["output_head"], "masked token");
}

TEST_F(Info, CheckpointFoldersThatDoNotOpen) {
  folder_.write("model/config.json",
                R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 4, "vocab_size": 5, "n_positions": 6})");
  nlohmann::json info = json_of("model");  // a configuration alone
  EXPECT_EQ(info["kind"], "checkpoint");
  EXPECT_EQ(info["architecture"], "gpt2");
  EXPECT_EQ(info["num_layers"], 1);
  EXPECT_EQ(info["num_heads"], 2);
  EXPECT_EQ(info["num_kv_heads"], 2);
  EXPECT_EQ(info["d_model"], 4);
  EXPECT_EQ(info["config"]["n_layer"], 1);
  EXPECT_NE(cli({"info", "model"}).out.find("architecture gpt2: 1 layer, 2 heads, d_model 4, head_dim 2\n"),
            std::string::npos);
  // As Python writes it, and of a family that there is not.
  folder_.write("hybrid/config.json", R"({"model_type": "nemotron_h", "limits": [0.0, Infinity, -Infinity, NaN],
    "said": "Infinity and \"NaN"})");
  info = json_of("hybrid");
  EXPECT_EQ(info["architecture"], nullptr);
  EXPECT_NE(info["unknown_architecture"].get<std::string>().find("nemotron_h"), std::string::npos);
  folder_.write("hybrid/model.safetensors", "");
  expect_refused(cli({"info", "hybrid"}), 3, {"hybrid/config.json", "nemotron_h"});
  folder_.write("words/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\n##s\n");  // a tokenizer alone
  EXPECT_EQ(json_of("words")["tokenizer"], (nlohmann::json{{"kind", "WordPiece"}, {"vocabulary_size", 7}}));
  write_tensors("model/model.safetensors", {{"wte.weight", {5, 4}}, {"wpe.weight", {6, 5}}});
  expect_refused(cli({"info", "model"}), 3,
                 {"wpe.weight is [6, 5], expected [6, 4]", "h.0.attn.c_attn.weight [4, 12] is missing"});
  folder_.write("pickled/config.json",
                R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 4, "vocab_size": 5, "n_positions": 6})");
  folder_.write("pickled/pytorch_model.bin", "PK");
  expect_refused(cli({"info", "pickled"}), 3, {"pytorch_model.bin", "not a file of torch.save"});
  std::filesystem::rename(folder_ / "pickled/pytorch_model.bin", folder_ / "kept");
  std::filesystem::create_symlink("nowhere", folder_ / "pickled/model.safetensors");
  expect_refused(cli({"info", "pickled"}), 3, {"pickled/model.safetensors", "No such file"});
  folder_.write("broken/config.json", "{");
  expect_refused(cli({"info", "broken"}), 3, {"config.json"});
  folder_.write("other/readme.txt", "hello");
  expect_refused(cli({"info", "other"}), 3, {"other", "config.json"});
  expect_refused(cli({"info", "demo:nothing"}), 2, {"demo:nothing"});
}

TEST_F(Info, AConfigurationAloneSaysWhatItsModelHolds) {
  const std::string models = HEADSCOPE_SOURCE_DIR "/tests/golden/models/";
  for (const char* model : {"gpt2", "llama", "mixtral", "deepseek_v3", "gpt_oss", "falcon", "bloom", "albert"}) {
    std::filesystem::create_directories(folder_ / model);
    std::filesystem::copy_file(models + model + "/config.json", folder_ / (std::string(model) + "/config.json"));
    const nlohmann::json alone = json_of(model), whole = json_of(models + model);
    EXPECT_EQ(alone["parameters"], whole["parameters"]) << model << ": what the files hold";
    const nlohmann::json file = json_of(std::string(model) + "/config.json");
    EXPECT_EQ(file["kind"], "configuration");
    EXPECT_EQ(file["parameters"], alone["parameters"]);
  }
  const nlohmann::json llama = json_of("llama");
  // Queries, keys, values, output and the three of the MLP of two layers, and the decoder.
  EXPECT_EQ(llama["multiply_adds_per_token"], 2 * (16 * 16 + 2 * 8 * 16 + 16 * 16 + 3 * 16 * 16) + 24 * 16);
  EXPECT_EQ(llama["cached_numbers_per_token"], 2 * 2 * (4 + 4));
  EXPECT_NE(cli({"info", "llama"}).out.find("its keys and values are 32 numbers, 128 bytes in float32"),
            std::string::npos)
      << cli({"info", "llama"}).out;
}

TEST_F(Info, FamiliesAreListed) {
  const Result text = cli({"info", "--families"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("transformer_lens"), std::string::npos);
  const auto json = nlohmann::json::parse(cli({"info", "--families", "--json"}).out);
  EXPECT_GT(json.size(), 45u);
  EXPECT_EQ(json[0]["family"], "gpt2");
  EXPECT_EQ(json[0]["model_types"], nlohmann::json({"gpt2"}));
  expect_refused(cli({"info", "x", "--families"}), 2, {"families"});
}

TEST_F(Info, FoldersThatRunWrote) {
  for (const char* format : {"csv", "safetensors"}) {
    ASSERT_EQ(
        cli({"run", "--phrase", "a b", "--heads", "2", "--d-model", "4", "--format", format, "--out", format}).code, 0);
    nlohmann::json info = json_of(format);
    EXPECT_EQ(info["kind"], "export");
    EXPECT_EQ(info["request"]["phrase"], "a b");
    EXPECT_NE(cli({"info", format}).out.find("manifest.json"), std::string::npos);
  }
}

TEST_F(Info, WhatIsMalformedIsNamed) {
  expect_refused(cli({"info"}), 2, {"PATH"});
  expect_refused(cli({"info", ""}), 2, {"PATH"});
  expect_refused(cli({"info", "missing.npy"}), 3, {"missing.npy"});
  const std::vector<std::pair<std::string, std::string>> files = {
      {"empty.npy", ""},
      {"empty", ""},
      {"half.npy", std::string("\x93NUMPY\x01\x00", 8)},
      {"page.safetensors", "<!DOCTYPE html><html><body>404</body></html>"},
      {"lfs.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"},
      {"model.pt", std::string("PK\x03\x04", 4) + std::string(60, 'x')},
      {"words.txt", "just words"},
      {"list.json", "[1, 2]"},
      {"odd.json", "{\"weights\": {\"a\": 1}}"},
      {"half.png", "\x89PNG\r\n\x1a\n"},
      {"huge.safetensors", std::string("\xff\xff\xff\xff\xff\x00\x00\x00{", 9)},
      {"short.safetensors", std::string("\x40\x00\x00\x00\x00\x00\x00\x00{\"a\":", 13)},
  };
  for (const auto& [name, bytes] : files) {
    folder_.write(name, bytes);
    expect_refused(cli({"info", name}), 3, {name});
    expect_refused(cli({"info", name, "--json"}), 3, {name});
  }
  expect_refused(cli({"info", "/dev/null"}), 3, {"/dev/null"});
}

TEST_F(Info, NamesOfHostileFilesCannotWriteToTheTerminal) {
  write_tensors("esc.safetensors", {{"a\x1b[31mred\nline", {2}}}, {{"k", "v\x1b]0;title\x07"}});
  const Result result = cli({"info", "esc.safetensors"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(result.out.find('\x07'), std::string::npos);
  expect_refused(cli({"info", "no\x1b[31m\nsuch"}), 3, {"no"});
}

}  // namespace
}  // namespace headscope

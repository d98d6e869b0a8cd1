// Models in folders of another layout, and what is no model: said by what it is.
#include <chrono>
#include <filesystem>
#include <fstream>

#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/io/torch_lists.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const std::string kLayoutsModels = HEADSCOPE_SOURCE_DIR "/tests/golden/models/";

class Layouts : public CommandTest {
 protected:
  Result run(const std::string& model) { return cli({"run", "--model", model, "--token-ids", "1,2,3", "--summary"}); }
  // What is printed behind the line that names the model.
  static std::string numbers(const Result& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out.substr(result.out.find('\n') + 1);
  }
  // Writes the tensors of llama2c as Meta ships them.
  void write_meta(const std::string& params) const {
    const SafetensorsFile file = SafetensorsFile::open(kLayoutsModels + "llama2c/model.safetensors");
    std::vector<std::pair<std::string, test::SavedTensor>> tensors;
    for (const SafetensorsEntry& entry : file.entries()) {
      tensors.push_back({entry.name, {entry.shape, file.tensor(entry).values()}});
    }
    folder_.write("meta/consolidated.00.pth", test::saved_dict(tensors));
    folder_.write("meta/params.json", params);
  }
};

TEST_F(Layouts, MetasFolderOpens) {
  write_meta(R"({"dim": 12, "n_layers": 2, "n_heads": 3, "vocab_size": -1, "multiple_of": 8, "norm_eps": 1e-05})");
  EXPECT_EQ(numbers(run("meta")), numbers(run(kLayoutsModels + "llama2c")));
  EXPECT_EQ(numbers(run("meta/consolidated.00.pth")), numbers(run("meta")));
  const Result info = cli({"info", "meta"});
  EXPECT_NE(info.out.find("as Meta ships Llama"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("vocabulary 24, rotary positions up to 2048"), std::string::npos) << info.out;
}

TEST_F(Layouts, ParamsOfAnotherModelAreAnsweredByTheConfigThatFits) {
  write_meta(R"({"dim": 64, "n_layers": 2, "n_heads": 3, "n_kv_heads": 1, "vocab_size": 100, "norm_eps": 1e-05})");
  const std::string config =
      R"({"model_type": "llama2c", "dim": 12, "n_layers": 2, "n_heads": 3, "n_kv_heads": 3, "vocab_size": 24, )"
      R"("hidden_dim": 32, "norm_eps": 1e-05, "max_seq_len": 2048})";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", "meta"}, {"run", "--model", "meta", "--token-ids", "1"}}) {
    expect_refused(cli(words), 3,
                   {"meta/params.json", "dim is 64 and the tensors have 12", "vocab_size is 100", config});
  }
  folder_.write("meta/config.json", config);
  EXPECT_EQ(numbers(run("meta")), numbers(run(kLayoutsModels + "llama2c")));
}

class HubCache : public Layouts {
 protected:
  HubCache() {
    fs::create_directories(snapshot("x--tiny").parent_path());
    fs::copy(kLayoutsModels + "llama2c", snapshot("x--tiny"));
    folder_.write("hub/models--x--tiny/refs/main", "abc123");
    fs::create_directories(snapshot("x--tiny").parent_path() / "older");
  }
  fs::path snapshot(const std::string& name) const { return folder_ / ("hub/models--" + name + "/snapshots/abc123"); }
  Result with_cache(const std::vector<std::string>& words, const std::string& name, const std::string& value) {
    std::map<std::string, std::string> environment = {
        {"HF_HUB_CACHE", ""}, {"HUGGINGFACE_HUB_CACHE", ""}, {"HF_HOME", ""}};
    environment[name] = value;
    return run_cli(words, {folder_.path(), "", environment});
  }
};

TEST_F(HubCache, AFolderOfItIsOpenedAsItsSnapshot) {
  const Result folder = run("hub/models--x--tiny");
  EXPECT_EQ(numbers(folder), numbers(run(kLayoutsModels + "llama2c")));
  EXPECT_NE(folder.err.find("hub/models--x--tiny is a folder of the hub's cache; "
                            "hub/models--x--tiny/snapshots/abc123 is opened"),
            std::string::npos)
      << folder.err;
  EXPECT_NE(cli({"run", "--model", "hub/models--x--tiny", "--token-ids", "1,2"}).out.find("x/tiny, layer"),
            std::string::npos);
  const Result info = cli({"info", "hub/models--x--tiny/"});
  EXPECT_NE(info.out.find("architecture llama2c"), std::string::npos) << info.err;
  fs::remove_all(folder_ / "hub/models--x--tiny/refs");
  // Without refs/main the newest is taken; of two of one time none is.
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder_ / "hub/models--x--tiny/snapshots/abc123", now);
  fs::last_write_time(folder_ / "hub/models--x--tiny/snapshots/older", now - std::chrono::hours(1));
  EXPECT_EQ(numbers(run("hub/models--x--tiny")), numbers(run(kLayoutsModels + "llama2c")));
  fs::last_write_time(folder_ / "hub/models--x--tiny/snapshots/older", now);
  expect_refused(run("hub/models--x--tiny"), 3, {"none of its 2 snapshots", "abc123, older"});
  fs::remove_all(folder_ / "hub/models--x--tiny/snapshots/older");
  EXPECT_EQ(run("hub/models--x--tiny").code, 0) << "the only one";
}

TEST_F(HubCache, ANameIsFoundThere) {
  const std::vector<std::string> words = {"run", "--model", "x/tiny", "--token-ids", "1,2,3", "--summary"};
  const std::string expected = numbers(run(kLayoutsModels + "llama2c"));
  const Result result = with_cache(words, "HF_HUB_CACHE", folder_ / "hub");
  EXPECT_EQ(numbers(result), expected);
  EXPECT_NE(result.err.find("x/tiny lies in the hub's cache; " + snapshot("x--tiny").string() + " is opened"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(numbers(with_cache(words, "HF_HOME", folder_.path())), expected);
  expect_refused(
      with_cache(words, "HF_HOME", folder_ / "nowhere"), 3,
      {"x/tiny: is not there", "the hub's cache " + std::string(folder_ / "nowhere/hub"), "models--x--tiny"});
  folder_.write("x/tiny/config.json", "{}");
  expect_refused(with_cache(words, "HF_HUB_CACHE", folder_ / "hub"), 3, {"x/tiny/config.json"});
}

TEST_F(Layouts, AnAdapterIsNoModel) {
  folder_.write("lora/adapter_config.json",
                R"({"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-2-7b-hf", "bound": Infinity})");
  folder_.write("lora/adapter_model.safetensors", "");
  for (const std::string model : {"lora", "lora/adapter_model.safetensors"}) {
    expect_refused(run(model), 3, {"lora: holds an adapter (LORA) of \"meta-llama/Llama-2-7b-hf\"", "--adapter"});
  }
  expect_refused(cli({"info", "lora"}), 3, {"lora/adapter_config.json: r is missing", "lora_alpha is missing"});
}

TEST_F(Layouts, AVocabularyAloneIsSaidToBeOne) {
  const std::string file = test::GgufWriter()
                               .text("general.architecture", "unheard-of")
                               .text("tokenizer.ggml.model", "gpt2")
                               .text("tokenizer.ggml.pre", "gpt-2")
                               .texts("tokenizer.ggml.tokens", {"a", "b", "ab"})
                               .list<std::int32_t>("tokenizer.ggml.token_type", GgufField::Kind::i32, {1, 1, 1})
                               .texts("tokenizer.ggml.merges", {"a b"})
                               .bytes();
  folder_.write("vocab.gguf", file);
  const Result info = cli({"info", "vocab.gguf", "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  const auto json = nlohmann::json::parse(info.out);
  EXPECT_EQ(json["kind"], "vocabulary");
  EXPECT_EQ(json["architecture"], "unheard-of");
  EXPECT_EQ(json["tokens"], 3);
  EXPECT_EQ(json["tokenizer_model"], "gpt2");
  EXPECT_EQ(json["tokenizer"]["vocabulary_size"], 3);
  EXPECT_EQ(json["tensors"].size(), 0u);
  EXPECT_NE(cli({"info", "vocab.gguf"}).out.find("a vocabulary alone, no tensors\n3 tokens, tokenizer.ggml.model gpt2"),
            std::string::npos);
  expect_refused(run("vocab.gguf"), 3, {"vocab.gguf: holds a vocabulary alone, of 3 tokens", "expected a model"});
  EXPECT_EQ(cli({"tokenize", "--model", "vocab.gguf", "--phrase", "ab"}).code, 0);
}

TEST_F(Layouts, FilesOfPiecesAreSaidToBeWhatTheyAre) {
  folder_.write("qwen.tiktoken", "IQ== 0\nIg== 1\n");
  folder_.write("t5/spiece.model", std::string("\x0a\x0e\x0a\x05<pad>\x15\0\0\0\0\x18\x03", 16));
  expect_refused(cli({"tokenize", "--model", "qwen.tiktoken", "--phrase", "a"}), 3,
                 {"qwen.tiktoken: a list of tiktoken of 2 pieces", "cl100k_base (100256)", "tokenizer.json"});
  expect_refused(run("qwen.tiktoken"), 3, {"qwen.tiktoken", "a list of tiktoken (a vocabulary alone)"});
  expect_refused(run("t5/spiece.model"), 3, {"t5/spiece.model", "a SentencePiece model (a vocabulary alone)"});
  EXPECT_NE(cli({"info", "qwen.tiktoken"}).out.find("no tokenizer that can be used"), std::string::npos);
  expect_refused(cli({"info", "t5/spiece.model"}), 3, {"t5/spiece.model", "no unknown piece"});
  // Neither is "no tokenizer" true of a folder where one lies.
  folder_.write("xlnet/config.json", R"({"model_type": "xlnet"})");
  folder_.write("xlnet/spiece.model", "\x0a\x0d\x0a\x05<unk>");
  EXPECT_NE(cli({"info", "xlnet"})
                .out.find("no tokenizer that can be used: xlnet: found spiece.model, which is read "
                          "where config.json names a family whose tokenizer is known"),
            std::string::npos);
  fs::copy(kLayoutsModels + "llama", folder_ / "llama");
  folder_.write("llama/tokenizer.model", "IQ== 0\nIg== 1\n");
  expect_refused(cli({"run", "--model", "llama", "--phrase", "a"}), 2,
                 {"llama has no tokenizer that can be used", "tokenizer.model: a list of tiktoken of 2 pieces"});
  fs::rename(folder_ / "llama/tokenizer.model", folder_ / "llama/qwen.tiktoken");
  expect_refused(cli({"tokenize", "--model", "llama", "--phrase", "a"}), 3,
                 {"qwen.tiktoken: a list of tiktoken of 2 pieces"});
}

TEST_F(Layouts, DraftHeadsAreNoModels) {
  fs::copy(kLayoutsModels + "llama", folder_ / "llama");
  auto config = nlohmann::json::parse(std::ifstream(folder_ / "llama/config.json"));
  for (const char* name : {"LlamaForCausalLMEagle", "LlamaForCausalLMEagle3", "EagleModel", "MedusaModel",
                           "Eagle3LlamaForCausalLM", "DeepSeekMTPModel", "DeepseekV3ForCausalLMNextN"}) {
    config["architectures"] = {name};
    folder_.write("llama/config.json", config.dump());
    expect_refused(run("llama"), 3, {"llama/config.json", name, "a draft head", "expected that model"});
  }
  for (const char* name : {"LlamaForCausalLM", "EagleLlamaForCausalLM"}) {
    config["architectures"] = {name};
    folder_.write("llama/config.json", config.dump());
    EXPECT_EQ(run("llama").code, 0) << name;
  }
}

}  // namespace
}  // namespace headscope

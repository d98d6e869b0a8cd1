// Which ids a decoder phrase becomes: behind the start token, or as the phrase itself begins.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/inputs.h"
#include "core/request/problem.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

using Ids = std::vector<std::int64_t>;
using Json = nlohmann::ordered_json;

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/";

class DecoderPhrase : public FilesTest {
 protected:
  // A copy of a model, with changed settings.
  void copy_model(const std::string& name, const Json& changes = Json::object()) {
    Json config = Json::parse(std::ifstream(kModels + name + "/config.json"));
    config.update(changes);
    write_text("config.json", config.dump());
    std::filesystem::copy(kModels + name + "/model.safetensors", path("model.safetensors"),
                          std::filesystem::copy_options::overwrite_existing);
  }
  // Words split at blanks, and special tokens; `frame` are those around a text, "A" the text.
  void write_tokenizer(const Json& words, const Json& special, const std::vector<std::string>& frame) {
    Json added = Json::array(), used = Json::object(), single = Json::array();
    for (const auto& [content, id] : special.items()) {
      added.push_back({{"id", id},
                       {"content", content},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", true}});
    }
    for (const std::string& part : frame) {
      if (part == "A") {
        single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
        continue;
      }
      single.push_back({{"SpecialToken", {{"id", part}, {"type_id", 0}}}});
      used[part] = {{"id", part}, {"ids", {special[part]}}, {"tokens", {part}}};
    }
    Json vocabulary = words;
    vocabulary.update(special);
    write_text("tokenizer.json",
               Json{{"version", "1.0"},
                    {"added_tokens", added},
                    {"normalizer", nullptr},
                    {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                    {"post_processor",
                     {{"type", "TemplateProcessing"}, {"single", single}, {"pair", single}, {"special_tokens", used}}},
                    {"decoder", nullptr},
                    {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "<unk>"}}}}
                   .dump());
  }
  std::shared_ptr<const Inputs> read(const std::string& phrase) {
    Request request;
    request.model = std::filesystem::path(path("config.json")).parent_path().string();
    if (Checkpoint::open(request.model)->architecture().features) {
      request.features = kModels + "whisper/features.npy";
    } else {
      request.phrase = "a b";
    }
    request.decoder_phrase = phrase;
    return Engine().read(request, CancelToken());
  }
  Ids ids(const std::string& phrase) { return read(phrase)->token_ids; }
  std::string refusal(const std::string& phrase) {
    try {
      read(phrase);
    } catch (const UsageError& error) {
      return error.what();
    } catch (const ProblemError& error) {
      return error.what();
    }
    return "";
  }
};

const Json kWords = {{"a", 10}, {"b", 11}, {"c", 12}};

TEST_F(DecoderPhrase, OfBartBeginsWithTheEndOfATextAndItsBeginning) {
  copy_model("bart");
  write_text("vocab.json",
             R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "a": 4, "b": 5, "Ġ": 6, "Ġb": 7, "<mask>": 46})");
  write_text("merges.txt", "#version: 0.2\nĠ b\n");
  EXPECT_EQ(ids("a b"), (Ids{2, 0, 4, 7})) << "labels <s> a b </s>, moved one to the right";
  EXPECT_EQ(ids("</s><s>a"), (Ids{2, 0, 4})) << "a phrase that spells its beginning";
  EXPECT_EQ(read("a b")->encoder->token_ids, (Ids{0, 4, 7, 2}));
  const auto inputs = read("a b");
  EXPECT_EQ(inputs->offsets.at(0).size(), 0);
  EXPECT_EQ(inputs->offsets.at(3), (Range{2, 3}));
  EXPECT_EQ(inputs->tokens.size(), 4U);
}

TEST_F(DecoderPhrase, OfWhisperTakesThePromptThatThePhraseSpells) {
  copy_model("whisper");
  const Json special = {
      {"<unk>", 3}, {"<|endoftext|>", 2}, {"<|startoftranscript|>", 4}, {"<|en|>", 5}, {"<|notimestamps|>", 6}};
  write_tokenizer(kWords, special, {"<|startoftranscript|>", "<|notimestamps|>", "A", "<|endoftext|>"});
  EXPECT_EQ(ids("a b"), (Ids{4, 6, 10, 11})) << "what its tokenizer puts in front";
  EXPECT_EQ(ids("<|startoftranscript|><|en|><|notimestamps|> a"), (Ids{4, 5, 6, 10}));
}

// Byte-level pieces, and a list of the tokens that stand for no text.
TEST_F(DecoderPhrase, OfWhisperBySeveralFiles) {
  copy_model("whisper");
  write_text("vocab.json", R"({"a": 10, "b": 11, "Ġ": 12, "Ġb": 13, "<|endoftext|>": 2})");
  write_text("merges.txt", "#version: 0.2\nĠ b\n");
  write_text("added_tokens.json",
             R"({"<|startoftranscript|>": 4, "<|en|>": 5, "<|notimestamps|>": 6, "<|endoftext|>": 2})");
  EXPECT_EQ(ids("a b"), (Ids{4, 10, 13}));
  EXPECT_EQ(ids("<|startoftranscript|><|en|><|notimestamps|> b"), (Ids{4, 5, 6, 13}));
  write_text("added_tokens.json", R"({"<|en|>": -1})");
  EXPECT_THROW(ids("a"), Error);
}

TEST_F(DecoderPhrase, OfMbartBeginsWithItsLanguage) {
  const Json special = {{"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}, {"ro_RO", 40}, {"en_XX", 41}};
  const std::vector<std::string> frame = {"A", "</s>", "en_XX"};
  copy_model("mbart", {{"decoder_start_token_id", 40}});
  write_tokenizer(kWords, special, frame);
  EXPECT_EQ(ids("a b"), (Ids{40, 10, 11})) << "the start token is the language";
  EXPECT_EQ(ids("en_XX a b"), (Ids{41, 10, 11})) << "the phrase says another";
  EXPECT_EQ(ids("ro_RO a"), (Ids{40, 10}));
  EXPECT_EQ(read("a")->encoder->token_ids, (Ids{10, 11, 2, 41}));
  copy_model("mbart", {{"decoder_start_token_id", nullptr}});
  EXPECT_EQ(ids("ro_RO a"), (Ids{40, 10}));
  EXPECT_NE(refusal("a b").find("begins with its language, and this phrase names none"), std::string::npos);
}

// mBART-50: the end of a text, then the language.
TEST_F(DecoderPhrase, OfMbartBehindTheEndOfAText) {
  copy_model("mbart");
  write_tokenizer(kWords, {{"<pad>", 1}, {"</s>", 2}, {"<unk>", 3}, {"ro_RO", 40}, {"en_XX", 41}},
                  {"en_XX", "A", "</s>"});
  EXPECT_EQ(ids("ro_RO a b"), (Ids{2, 40, 10, 11}));
  EXPECT_EQ(ids("</s> ro_RO a"), (Ids{2, 40, 10}));
  EXPECT_NE(refusal("a b").find("--decoder-phrase"), std::string::npos) << refusal("a b");
}

TEST_F(DecoderPhrase, OfTwoVocabulariesIsSpelledByTheDecoders) {
  copy_model("marian-two-vocabularies");
  const auto piece = [](const std::string& text) {
    const std::string inner = "\x0A" + std::string(1, static_cast<char>(text.size())) + text;
    return "\x0A" + std::string(1, static_cast<char>(inner.size())) + inner;
  };
  const std::string blank = "\xE2\x96\x81";
  write_text("source.spm", piece(blank + "a") + piece(blank + "b"));
  write_text("target.spm", piece(blank) + piece("a") + piece("b"));
  write_text("vocab.json", R"({"</s>": 0, "<unk>": 1, "▁a": 5, "▁b": 6})");
  write_text("target_vocab.json", R"({"</s>": 0, "<unk>": 1, "▁": 4, "a": 50, "b": 51, "<pad>": 52})");
  const auto inputs = read("a b");
  EXPECT_EQ(inputs->token_ids, (Ids{52, 4, 50, 4, 51}));
  EXPECT_EQ(inputs->encoder->token_ids, (Ids{5, 6, 0}));
  EXPECT_EQ(inputs->tokens.at(2), "a");
}

}  // namespace
}  // namespace headscope

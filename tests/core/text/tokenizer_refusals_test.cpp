// Vocabularies that are wrong: an Error that names the part, and neither a crash nor a wait.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/text/tokenizer_files.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

void expect_error(const std::string& json, const std::vector<std::string>& parts) {
  try {
    tokenizer_of(json);
    ADD_FAILURE() << "taken: " << json.substr(0, 300);
  } catch (const Error& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("tokenizer.json: "), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    for (const std::string& part : parts)
      EXPECT_NE(sentence.find(part), std::string::npos) << part << " in " << sentence;
  }
}

TokenizerJson sound() {
  TokenizerJson json;
  json.model = {{"type", "WordLevel"}, {"unk_token", "u"}, {"vocab", {{"u", 0}, {"a", 1}}}};
  return json;
}

TEST(TokenizerRefusals, WhatIsNoJsonObjectWithAModel) {
  for (const char* json : {"[]", "{}", "{\"model\": 3}", "{\"model\": {}}", "{\"model\": null}", "{\"a\": 1, \"a\": 2}",
                           "{", "x", "{\"model\": {}} x", "\"\\ud800\"", "{\"model\": {\"vocab\": {\"a\": 0,}}}"}) {
    expect_error(json, {});
  }
  expect_error(std::string("{\"model\"\0: 1}", 13), {"NUL"});
  expect_error("\xEF\xBB\xBF{}", {"byte order mark"});
  expect_error("{\"model\": \"\xFF\"}", {"not UTF-8"});
  expect_error(std::string(100000, '['), {"object"});
  expect_error("{\"x\": " + std::string(100000, '[') + "}", {"nested"});
}

TEST(TokenizerRefusals, EveryPrefixOfAFile) {
  const std::string json = sound().text();
  for (std::size_t size = 1; size < json.size(); ++size) expect_error(json.substr(0, size), {});
}

TEST(TokenizerRefusals, PartsThatAreNotKnownAreNamedWithThoseThatAre) {
  TokenizerJson json = sound();
  json.normalizer = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}, {{"type", "Rot13"}}}}};
  expect_error(json.text(), {"normalizer.normalizers[1].type", "Rot13", "BertNormalizer"});
  json = sound();
  json.pre_tokenizer = {{"type", "UnicodeScripts"}};
  expect_error(json.text(), {"pre_tokenizer.type", "UnicodeScripts", "ByteLevel"});
  json = sound();
  json.post_processor = {{"type", "Pairs"}};
  expect_error(json.text(), {"post_processor.type", "Pairs", "TemplateProcessing"});
  json = sound();
  json.decoder = {{"type", "CTC"}};
  expect_error(json.text(), {"decoder.type", "CTC", "Metaspace"});
  json = sound();
  json.model["type"] = "Lattice";
  expect_error(json.text(), {"model.type", "Lattice", "Unigram"});
  json = sound();
  json.pre_tokenizer = {{"type", "Split"}, {"pattern", {{"String", "a"}}}, {"behavior", "Sometimes"}};
  expect_error(json.text(), {"pre_tokenizer.behavior", "Sometimes", "Isolated"});
  json.pre_tokenizer = {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}};
  expect_error(json.text(), {"pre_tokenizer.pattern.Regex", "parenthes"});
  json.pre_tokenizer = {{"type", "Split"}, {"pattern", {{"Regex", "[a&&[^b]]"}}}, {"behavior", "Isolated"}};
  expect_error(json.text(), {"pre_tokenizer.pattern.Regex", "set"});
}

TEST(TokenizerRefusals, VocabulariesThatDoNotFit) {
  for (const char* model : {R"({"type":"WordLevel","vocab":{"a":0,"a":1}})",
                            R"({"type":"WordLevel","vocab":{"a":-1}})",
                            R"({"type":"WordLevel","vocab":{"a":1.5}})",
                            R"({"type":"WordLevel","vocab":{"a":18446744073709551616}})",
                            R"({"type":"WordLevel","vocab":{"a":99999999}})",
                            R"({"type":"WordLevel","vocab":{"a":"0"}})",
                            R"({"type":"WordLevel","vocab":[]})",
                            R"({"type":"WordLevel"})",
                            R"({"type":"BPE","vocab":{"a":0},"merges":["a b"]})",
                            R"({"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b"]})",
                            R"({"type":"BPE","vocab":{"a":0},"merges":["a"]})",
                            R"({"type":"BPE","vocab":{"a":0},"merges":["a a a"]})",
                            R"({"type":"BPE","vocab":{"a":0},"merges":[["a"]]})",
                            R"({"type":"BPE","vocab":{"a":0},"merges":[["a","a","a"]]})",
                            R"({"type":"BPE","vocab":{"a":0},"merges":{}})",
                            R"({"type":"WordPiece","vocab":{"a":0}})",
                            R"({"type":"WordPiece","unk_token":"u","vocab":{"a":0}})",
                            R"({"type":"Unigram","vocab":[["a"]]})",
                            R"({"type":"Unigram","vocab":[["a",1,2]]})",
                            R"({"type":"Unigram","vocab":[["a","b"]]})",
                            R"({"type":"Unigram","vocab":[["a",1e999]]})",
                            R"({"type":"Unigram","vocab":[["a",0]],"unk_id":1})",
                            R"({"type":"Unigram","vocab":{}})"}) {
    expect_error(std::string(R"({"model":)") + model + "}", {});
  }
}

TEST(TokenizerRefusals, OptionsOfTheWrongKind) {
  TokenizerJson json = sound();
  json.normalizer = {{"type", "Prepend"}, {"prepend", std::string(1001, 'a')}};
  expect_error(json.text(), {"normalizer.prepend"});
  json.normalizer = {{"type", "BertNormalizer"}, {"lowercase", "yes"}};
  expect_error(json.text(), {"normalizer.lowercase", "yes", "true or false"});
  for (const char* map : {"", "A", "????", "/////w==", "BAAAAA=="}) {
    json.normalizer = {{"type", "Precompiled"}, {"precompiled_charsmap", map}};
    expect_error(json.text(), {"normalizer.precompiled_charsmap"});
  }
  json = sound();
  json.added_tokens = nlohmann::ordered_json::array({added_token(0, std::string(1001, 'x'))});
  expect_error(json.text(), {"added_tokens[0].content"});
  json.added_tokens = nlohmann::ordered_json::array({added_token(-1, "x")});
  expect_error(json.text(), {"added_tokens[0].id"});
  json = sound();
  json.post_processor = {{"type", "TemplateProcessing"}, {"single", Json::array()}, {"special_tokens", Json::object()}};
  expect_error(json.text(), {"post_processor.single"});
  json.decoder = {{"type", "Strip"}, {"content", ""}, {"start", 1}, {"stop", 0}};
  json.post_processor = nullptr;
  expect_error(json.text(), {"decoder.content"});
}

TEST(TokenizerRefusals, TextsThatAVocabularyCannotSpell) {
  TokenizerJson json;
  json.model = {{"type", "WordLevel"}, {"vocab", {{"a", 0}}}};
  EXPECT_THROW(tokenizer_of(json)->tokenize("b"), Error);
  json.model = {{"type", "Unigram"}, {"unk_id", nullptr}, {"vocab", Json::array({Json::array({"a", 0.0})})}};
  EXPECT_THROW(tokenizer_of(json)->tokenize("b"), Error);
  json.model = {{"type", "BPE"}, {"vocab", {{"a", 0}}}, {"merges", Json::array()}};
  EXPECT_TRUE(tokenizer_of(json)->tokenize("b").ids.empty());
}

TEST(TokenizerRefusals, AHostilePatternGivesUp) {
  TokenizerJson json = sound();
  json.pre_tokenizer = {{"type", "Split"}, {"pattern", {{"Regex", "(a+)+b"}}}, {"behavior", "Isolated"}};
  EXPECT_THROW(tokenizer_of(json)->tokenize(std::string(5000, 'a')), Error);
}

TEST(TokenizerRefusals, ATextThatGrowsWithoutBounds) {
  TokenizerJson json = sound();
  Json steps = Json::array();
  for (int k = 0; k < 20; ++k) {
    steps.push_back({{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(900, 'a')}});
  }
  json.normalizer = {{"type", "Sequence"}, {"normalizers", steps}};
  EXPECT_THROW(tokenizer_of(json)->tokenize("a"), Error);
}

TEST(TokenizerRefusals, OtherFilesOfAFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_tokenizer(folder.path()), nullptr);
  EXPECT_EQ(load_tokenizer(folder / "none"), nullptr);
  folder.write("vocab.json", "{\"a\": 0}");
  EXPECT_EQ(load_tokenizer(folder.path()), nullptr) << "merges.txt is missing";
  folder.write("merges.txt", "a b c\n");
  EXPECT_THROW(load_tokenizer(folder.path()), Error);
  folder.write("merges.txt", "\n#version: 0.2\n");
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("aa").ids.size(), 2u);
  folder.write("vocab.json", "{\"a\": 0, \"a</w>\": 1}");
  EXPECT_THROW(load_tokenizer(folder.path()), Error);
  folder.write("tokenizer_config.json", "[]");
  EXPECT_THROW(load_tokenizer(folder.path()), Error);
  folder.write("tokenizer.json", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THROW(load_tokenizer(folder.path()), Error);
  const TemporaryFolder bert;
  bert.write("vocab.txt", "a\nb\n");
  EXPECT_THROW(load_tokenizer(bert.path()), Error);
  bert.write("vocab.txt", "[UNK]\r\na\r\nb");
  EXPECT_EQ(load_tokenizer(bert.path())->tokenize("B a").ids, (std::vector<std::int64_t>{2, 1}));
  bert.write("vocab.txt", "[UNK]\na\nB\n\xFF\n");
  EXPECT_THROW(load_tokenizer(bert.path()), Error);
}

TEST(TokenizerRefusals, TheConfigSaysWhoseByteLevelFilesTheyAre) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"1": 0, "2": 1, "12": 2, "<s>": 3, "</s>": 4, "\u00c3": 5, "\u00a9": 6, "e": 7})");
  folder.write("merges.txt", "1 2\n");
  using Ids = std::vector<std::int64_t>;
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("12").ids, (Ids{3, 2, 4})) << "RoBERTa's marks";
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("12").ids, (Ids{2}));
  // OPT's.
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
                                            "bos_token": {"content": "</s>"}})");
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("12").ids, (Ids{4, 2}));
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
                                            "bos_token": "<begin>"})");
  EXPECT_THROW(load_tokenizer(folder.path()), Error);
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "Qwen2Tokenizer"})");
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("12e\xCC\x81").ids, (Ids{0, 1, 5, 6}))
      << "digit by digit, composed";
}

// As the class's own code builds it: with a tokenizer.json, a template there says the same.
TEST(TokenizerRefusals, WhispersOlderFilesPutTheSameAroundATextAsItsTokenizerJson) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"1": 0, "2": 1, "<|endoftext|>": 2})");
  folder.write("merges.txt", "#version: 0.2\n");
  folder.write("added_tokens.json", R"({"<|startoftranscript|>": 3, "<|en|>": 4, "<|translate|>": 5,
                                        "<|notimestamps|>": 6})");
  using Ids = std::vector<std::int64_t>;
  const auto ids = [&](const std::string& more) {
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "WhisperTokenizer")" + more + "}");
    return load_tokenizer(folder.path())->tokenize("12").ids;
  };
  EXPECT_EQ(ids(""), (Ids{3, 6, 0, 1, 2}));
  EXPECT_EQ(ids(R"(, "predict_timestamps": true, "eos_token": {"content": "1"})"), (Ids{3, 0, 1, 0}));
  EXPECT_EQ(ids(R"(, "language": "en", "task": "translate")"), (Ids{3, 4, 5, 6, 0, 1, 2}));
  EXPECT_EQ(ids(R"(, "language": null, "task": null)"), (Ids{3, 6, 0, 1, 2}));
  EXPECT_THROW(ids(R"(, "language": "klingon")"), UnknownTokenizer);
  folder.write("added_tokens.json", "{}");
  EXPECT_EQ(ids(""), (Ids{0, 1})) << "a vocabulary without these tokens";
}

TEST(TokenizerRefusals, TheConfigSaysWhetherBertsTextIsMadeLowerCase) {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[UNK]\n[MASK]\nbig\nBig\n");
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("Big").ids.at(0), 3) << "a vocabulary with capitals keeps them";
  folder.write("tokenizer_config.json", R"({"do_lower_case": true, "mask_token": {"content": "big"}})");
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("Big").ids.at(0), 2);
  EXPECT_EQ(load_tokenizer(folder.path())->special().mask, 2);
  folder.write("tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(load_tokenizer(folder.path())->tokenize("Big").ids.at(0), 3);
  EXPECT_EQ(load_tokenizer(folder.path())->special().mask, 1);
}

TEST(TokenizerRefusals, VocabTxtThatIsCutShort) {
  const TemporaryFolder folder;
  const std::string whole = "[UNK]\n[MASK]\na\nb\nc\nd\ne\n";
  folder.write("config.json", R"({"vocab_size": 7})");
  folder.write("vocab.txt", whole);
  EXPECT_NE(load_tokenizer(folder.path()), nullptr);
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    folder.write("vocab.txt", whole.substr(0, size));
    EXPECT_THROW(load_tokenizer(folder.path()), Error) << size;
  }
  folder.write("config.json", R"({"vocab_size": 8})");
  folder.write("vocab.txt", whole);
  EXPECT_NE(load_tokenizer(folder.path()), nullptr) << "a row that fills up a multiple of 8";
}

TEST(TokenizerRefusals, MergesTxtThatIsCutShort) {
  const TemporaryFolder folder;
  folder.write("vocab.json", R"({"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "<|endoftext|>": 5})");
  const std::string whole = "#version: 0.2\na b\nab c\n";
  folder.write("merges.txt", whole);
  EXPECT_NE(load_tokenizer(folder.path()), nullptr);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    folder.write("merges.txt", whole.substr(0, size));
    EXPECT_THROW(load_tokenizer(folder.path()), Error) << size;
  }
}

}  // namespace
}  // namespace headscope

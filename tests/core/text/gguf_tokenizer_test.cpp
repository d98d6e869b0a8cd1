// A vocabulary in GGUF's keys gives what the same vocabulary gives as tokenizer.json.
#include "core/text/gguf_tokenizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using test::contains;
using test::GgufWriter;
using Json = nlohmann::json;
using Kind = GgufField::Kind;

const std::string kTokenizerFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/tokenizers/";

std::vector<Json> tokenizer_vectors_of(const std::string& name) {
  std::ifstream file(kTokenizerFolder + name + "/vectors.jsonl");
  std::vector<Json> vectors;
  for (std::string line; std::getline(file, line);) vectors.push_back(Json::parse(line));
  return vectors;
}

// Pieces by id and their types; what is added is a control token.
struct Pieces {
  std::vector<std::string> texts;
  std::vector<std::int32_t> types;
  explicit Pieces(const std::map<std::string, std::int64_t>& vocabulary) {
    for (const auto& [piece, id] : vocabulary) {
      const auto at = static_cast<std::size_t>(id);
      if (at >= texts.size()) texts.resize(at + 1), types.resize(at + 1, 1);
      texts[at] = piece;
    }
  }
};

std::shared_ptr<const Tokenizer> gguf_tokenizer_of(const GgufWriter& file) {
  const test::IoFolder folder;
  test::write_bytes(folder.file("x.gguf"), file.bytes());
  return load_tokenizer(folder.file("x.gguf"));
}

void expect_same(const Tokenizer& ours, const Tokenizer& wanted, const std::string& text) {
  const Tokens a = ours.tokenize(text), b = wanted.tokenize(text);
  EXPECT_EQ(a.ids, b.ids) << text;
  EXPECT_EQ(a.pieces, b.pieces) << text;
  EXPECT_EQ(a.vocabulary_pieces, b.vocabulary_pieces) << text;
  EXPECT_EQ(a.offsets, b.offsets) << text;
  EXPECT_EQ(ours.decode(a.ids), wanted.decode(b.ids)) << text;
}

// The keys of a byte-level vocabulary: tests/golden/tokenizers/byte_level.
GgufWriter byte_level(const std::string& pre) {
  const std::string folder = kTokenizerFolder + "byte_level/";
  Json vocabulary;
  std::ifstream(folder + "vocab.json") >> vocabulary;
  Pieces pieces(vocabulary.get<std::map<std::string, std::int64_t>>());
  for (std::size_t id = 0; id < pieces.texts.size(); ++id) {
    if (pieces.texts[id] == "<|endoftext|>") pieces.types[id] = 3;
  }
  std::vector<std::string> merges;
  std::ifstream lines(folder + "merges.txt");
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(line);
  }
  GgufWriter file;
  file.text("tokenizer.ggml.model", "gpt2").texts("tokenizer.ggml.tokens", pieces.texts);
  file.list("tokenizer.ggml.token_type", Kind::i32, pieces.types).texts("tokenizer.ggml.merges", merges);
  if (!pre.empty()) file.text("tokenizer.ggml.pre", pre);
  return file;
}

TEST(GgufTokenizer, ByteLevelIdsAreThoseOfTheSameVocabularyInFiles) {
  const auto ours = gguf_tokenizer_of(byte_level("gpt-2")), wanted = load_tokenizer(kTokenizerFolder + "byte_level");
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(ours->kind(), "BPE");
  EXPECT_EQ(ours->vocabulary_size(), wanted->vocabulary_size());
  ASSERT_GE(tokenizer_vectors_of("byte_level").size(), 150u);
  for (const Json& vector : tokenizer_vectors_of("byte_level")) {
    const std::string text = vector["text"];
    expect_same(*ours, *wanted, text);
    EXPECT_EQ(ours->tokenize(text).ids, vector["ids"].get<std::vector<std::int64_t>>()) << text;
  }
}

// BERT's pieces as converters write them: words begin with a mark in place of the others' "##".
TEST(GgufTokenizer, WordPieceIdsAreThoseOfTheSameVocabularyInAFile) {
  const std::vector<std::string> lines = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "##lo", "wor",
                                          "##ld",  "a",     "##b",   "##c",   ",",      "!",     "h",    "##e"};
  std::vector<std::string> pieces;
  std::vector<std::int32_t> types;
  std::string file;
  for (const std::string& line : lines) {
    const bool bracketed = line.starts_with('[');
    pieces.push_back(bracketed ? line : line.starts_with("##") ? line.substr(2) : "\xE2\x96\x81" + line);
    types.push_back(bracketed ? 3 : 1);
    file += line + "\n";
  }
  const TemporaryFolder folder;
  folder.write("vocab.txt", file);
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "bert").texts("tokenizer.ggml.tokens", pieces);
  writer.list("tokenizer.ggml.token_type", Kind::i32, types);
  const auto ours = gguf_tokenizer_of(writer), wanted = load_tokenizer(folder.path());
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(ours->kind(), "WordPiece");
  for (const std::string text : {"Hello, WORLD!", "hello", "abc helloab", "[MASK] ab q", "h\xC3\xA9", ""}) {
    EXPECT_EQ(ours->tokenize(text).ids, wanted->tokenize(text).ids) << text;
  }
  EXPECT_EQ(ours->tokenize("abc").ids, (std::vector<std::int64_t>{2, 9, 10, 11, 3}));
  EXPECT_EQ(ours->special().mask, wanted->special().mask);
}

// tokenizer.json of the same vocabulary with the steps that the name means.
std::string json_of(const std::string& pre) {
  const std::string folder = kTokenizerFolder + "byte_level/";
  Json vocabulary, merges = Json::array();
  std::ifstream(folder + "vocab.json") >> vocabulary;
  std::ifstream lines(folder + "merges.txt");
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(line);
  }
  const bool llama = pre == "llama-bpe", qwen = pre == "qwen2";
  const Json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", !llama && !qwen}};
  Json steps = Json::array();
  if (llama || qwen) {
    const std::string digits = llama ? R"(\p{N}{1,3})" : R"(\p{N})";
    const std::string pattern = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)" + digits +
                                R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    steps.push_back(
        {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}});
  } else if (pre == "smollm") {
    steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
  }
  steps.push_back(byte_level);
  Json added = Json::array();
  if (vocabulary.contains("<|endoftext|>")) {
    added.push_back({{"id", vocabulary["<|endoftext|>"]}, {"content", "<|endoftext|>"}, {"special", true}});
  }
  return Json{{"added_tokens", added},
              {"normalizer", qwen ? Json{{"type", "NFC"}} : Json()},
              {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", steps}}},
              {"decoder", {{"type", "ByteLevel"}}},
              {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}, {"ignore_merges", llama}}}}
      .dump();
}

TEST(GgufTokenizer, EveryPreTokenizerSplitsAsTheTokenizerThatItMeans) {
  for (const std::string pre : {"llama-bpe", "qwen2", "smollm"}) {
    const test::IoFolder folder;
    test::write_bytes(folder.file("tokenizer.json"), json_of(pre));
    const auto wanted = load_tokenizer(folder.path());
    GgufWriter file = byte_level(pre);
    file.truth("tokenizer.ggml.add_bos_token", false);
    const auto ours = gguf_tokenizer_of(file);
    for (const Json& vector : tokenizer_vectors_of("byte_level")) expect_same(*ours, *wanted, vector["text"]);
    for (const char* text : {"I'LL pay 12345 at 6:07!", "e\xCC\x81t\xC3\xA9 \r\n\n  x", "a\t b<|endoftext|> c"}) {
      expect_same(*ours, *wanted, text);
    }
  }
}

// The keys of SentencePiece's BPE: tests/golden/tokenizers/byte_pieces. A piece's score falls with its first merge.
GgufWriter sentence_piece() {
  Json json;
  std::ifstream(kTokenizerFolder + "byte_pieces/tokenizer.json") >> json;
  Pieces pieces(json["model"]["vocab"].get<std::map<std::string, std::int64_t>>());
  std::vector<float> scores(pieces.texts.size(), -1e6F);
  std::map<std::string, std::size_t> ids;
  for (std::size_t id = 0; id < pieces.texts.size(); ++id) {
    const std::string& piece = pieces.texts[id];
    ids[piece] = id;
    if (piece.size() == 6 && piece.starts_with("<0x")) pieces.types[id] = 6;
  }
  float score = 0;
  for (const Json& merge : json["model"]["merges"]) {
    const std::string pair = merge;
    const std::size_t blank = pair.find(' ');
    float& of = scores[ids.at(pair.substr(0, blank) + pair.substr(blank + 1))];
    if (of == -1e6F) of = score -= 1;
  }
  pieces.types[ids.at("<unk>")] = 2;
  pieces.types[ids.at("<s>")] = pieces.types[ids.at("</s>")] = 3;
  GgufWriter file;
  file.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", pieces.texts);
  file.list("tokenizer.ggml.token_type", Kind::i32, pieces.types).list("tokenizer.ggml.scores", Kind::f32, scores);
  file.u32("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(ids.at("<s>")));
  file.u32("tokenizer.ggml.unknown_token_id", static_cast<std::uint32_t>(ids.at("<unk>")));
  return file;
}

TEST(GgufTokenizer, ScoresJoinPiecesAsSentencePieceDoes) {
  const auto ours = gguf_tokenizer_of(sentence_piece()), wanted = load_tokenizer(kTokenizerFolder + "byte_pieces");
  ASSERT_NE(ours, nullptr);
  ASSERT_GE(tokenizer_vectors_of("byte_pieces").size(), 150u);
  for (const Json& vector : tokenizer_vectors_of("byte_pieces")) {
    const std::string text = vector["text"];
    expect_same(*ours, *wanted, text);
    EXPECT_EQ(ours->tokenize(text).ids, vector["ids"].get<std::vector<std::int64_t>>()) << text;
  }
  EXPECT_EQ(ours->special().begin, wanted->special().begin);
  EXPECT_EQ(ours->special().unknown, wanted->special().unknown);
}

TEST(GgufTokenizer, TheFrameIsWhatTheKeysSay) {
  GgufWriter file = sentence_piece();
  file.truth("tokenizer.ggml.add_bos_token", false).truth("tokenizer.ggml.add_eos_token", true);
  file.u32("tokenizer.ggml.eos_token_id", 2).truth("tokenizer.ggml.add_space_prefix", false);
  const auto ours = gguf_tokenizer_of(file);
  const Tokens tokens = ours->tokenize("ab");
  ASSERT_FALSE(tokens.ids.empty());
  EXPECT_EQ(tokens.ids.back(), 2);
  EXPECT_EQ(tokens.pieces.front().front(), 'a');
  EXPECT_EQ(ours->decode(std::vector<std::int64_t>(tokens.ids.begin(), tokens.ids.end() - 1)), "ab");
}

TEST(GgufTokenizer, AFileWithoutVocabularyHasNone) {
  EXPECT_EQ(gguf_tokenizer_of(GgufWriter().u32("k", 1)), nullptr);
  EXPECT_EQ(gguf_tokenizer_of(GgufWriter().text("tokenizer.ggml.model", "none")), nullptr);
}

TEST(GgufTokenizer, WhatIsNotKnownIsRefusedByName) {
  const auto says = [](const GgufWriter& file, const char* part) {
    const std::string sentence = test::refusal_of([&] { gguf_tokenizer_of(file); });
    EXPECT_TRUE(contains(sentence, part)) << sentence;
    EXPECT_TRUE(contains(sentence, "x.gguf")) << sentence;
  };
  says(byte_level("deepseek-v9"), "is \"deepseek-v9\", a pre-tokenizer that is not known here; expected one of gpt-2");
  says(byte_level(""), "found no key tokenizer.ggml.pre");
  says(GgufWriter().text("tokenizer.ggml.model", "rwkv"), "is \"rwkv\"; expected gpt2, llama or bert");
  says(GgufWriter().text("tokenizer.ggml.model", "llama"), "found no pieces");
  GgufWriter few;
  few.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"a", "b"});
  says(few, "tokenizer.ggml.scores has 0 items; expected 2");
  GgufWriter types = few;
  types.list<std::int32_t>("tokenizer.ggml.token_type", Kind::i32, {1, 9});
  says(types, "holds 9; expected 1 to 6");
  GgufWriter list = few;
  list.list<std::int32_t>("tokenizer.ggml.token_type", Kind::i32, {1});
  says(list, "has 1 items; expected 2");
  GgufWriter nan = few;
  nan.list<float>("tokenizer.ggml.scores", Kind::f32, {0, std::numeric_limits<float>::quiet_NaN()});
  says(nan, "holds nan");
  says(GgufWriter()
           .text("tokenizer.ggml.model", "gpt2")
           .text("tokenizer.ggml.pre", "gpt-2")
           .texts("tokenizer.ggml.tokens", {"a", "b"})
           .texts("tokenizer.ggml.merges", {"ab"}),
       "found \"ab\"; expected two pieces");
  says(GgufWriter().text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"\xFF"}),
       "which is no UTF-8");
}

}  // namespace
}  // namespace headscope

// Trained vocabularies, and what independent code makes of texts with them: tests/golden/make_tokenizers.py.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/utf8.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

const std::string kFolder = HEADSCOPE_SOURCE_DIR "/tests/golden/tokenizers/";

std::vector<nlohmann::json> vectors_of(const std::string& name) {
  std::ifstream file(kFolder + name + "/vectors.jsonl");
  std::vector<nlohmann::json> vectors;
  for (std::string line; std::getline(file, line);) vectors.push_back(nlohmann::json::parse(line));
  return vectors;
}

class TokenizerVectors : public ::testing::TestWithParam<const char*> {};

TEST_P(TokenizerVectors, IdsAndRangesAreTheIndependentCodes) {
  const auto tokenizer = load_tokenizer(kFolder + GetParam());
  ASSERT_NE(tokenizer, nullptr);
  const auto vectors = vectors_of(GetParam());
  ASSERT_GE(vectors.size(), 140u);
  for (const nlohmann::json& vector : vectors) {
    const Tokens tokens = tokenizer->tokenize(vector["text"].get<std::string>());
    EXPECT_EQ(tokens.ids, vector["ids"].get<std::vector<std::int64_t>>()) << vector["text"];
    if (vector.contains("offsets")) {
      std::vector<Range> ranges;
      for (const auto& range : vector["offsets"]) ranges.push_back({range[0], range[1]});
      EXPECT_EQ(tokens.offsets, ranges) << vector["text"];
    }
  }
}

TEST_P(TokenizerVectors, TokensFitTogether) {
  const auto tokenizer = load_tokenizer(kFolder + GetParam());
  for (const nlohmann::json& vector : vectors_of(GetParam())) {
    const std::string text = vector["text"];
    const Tokens tokens = tokenizer->tokenize(text);
    ASSERT_EQ(tokens.pieces.size(), tokens.ids.size());
    ASSERT_EQ(tokens.vocabulary_pieces.size(), tokens.ids.size());
    ASSERT_EQ(tokens.offsets.size(), tokens.ids.size());
    ASSERT_EQ(tokens.words.size(), tokens.ids.size());
    std::int64_t word = 0;
    for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
      EXPECT_LT(tokens.ids[k], tokenizer->vocabulary_size());
      EXPECT_TRUE(is_valid_utf8(tokens.pieces[k]));
      EXPECT_LE(tokens.offsets[k].begin, tokens.offsets[k].end);
      EXPECT_LE(tokens.offsets[k].end, static_cast<std::int64_t>(text.size()));
      EXPECT_TRUE(is_valid_utf8(text.substr(static_cast<std::size_t>(tokens.offsets[k].begin),
                                            static_cast<std::size_t>(tokens.offsets[k].size()))));
      if (tokens.words[k] < 0) continue;
      EXPECT_TRUE(tokens.words[k] == word || tokens.words[k] == word + 1) << text;
      word = tokens.words[k];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerVectors,
                         ::testing::Values("byte_level", "word_piece", "unigram", "byte_pieces", "pieces_t5",
                                           "pieces_albert", "pieces_deberta", "pieces_llama", "pieces_gemma",
                                           "pieces_xlm", "pieces_camembert", "pieces_mbart"),
                         [](const auto& each) { return std::string(each.param); });

std::string random_text(std::mt19937& random) {
  std::string text;
  const std::uint32_t ends[] = {0x80, 0x250, 0x700, 0x3100, 0xD800, 0x20000, 0x10FFFF};
  for (auto k = random() % 40; k > 0; --k) {
    append_utf8(text, static_cast<std::uint32_t>(random()) % ends[random() % 7]);
    if (random() % 4 == 0) text += ' ';
  }
  return text;
}

TEST(TokenizerRoundTrip, BytesComeBackWhateverTheTextIs) {
  std::mt19937 random(7);
  for (const char* name : {"byte_level", "byte_pieces", "pieces_llama"}) {
    const auto tokenizer = load_tokenizer(kFolder + name);
    for (int k = 0; k < 2000; ++k) {
      const std::string text = random_text(random);
      std::vector<std::int64_t> ids = tokenizer->tokenize(text).ids;
      if (!ids.empty() && tokenizer->piece_of(ids.front()) == "<s>") ids.erase(ids.begin());
      // SentencePiece's pieces cannot tell its own blank from a typed one.
      if (text.find("\xE2\x96\x81") == text.npos) {
        ASSERT_EQ(tokenizer->decode(ids), text);
      }
    }
  }
}

TEST(TokenizerRoundTrip, IdsOfThePiecesAreTheTokensIds) {
  const auto tokenizer = load_tokenizer(kFolder + "byte_level");
  const Tokens tokens = tokenizer->tokenize("The animal didn't cross\n");
  for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
    EXPECT_EQ(tokenizer->id_of(tokens.vocabulary_pieces[k]), tokens.ids[k]);
    EXPECT_EQ(tokenizer->piece_of(tokens.ids[k]), tokens.pieces[k]);
  }
  EXPECT_EQ(tokenizer->special().end, tokenizer->id_of("<|endoftext|>"));
}

TEST(TokenizerFiles, BertsFileMakesWordPiecesOfAWord) {
  const auto tokenizer = load_tokenizer(kFolder + "word_piece");
  const Tokens tokens = tokenizer->tokenize("RUNNERS!");
  ASSERT_GE(tokens.words.size(), 4u);
  EXPECT_EQ(tokens.pieces.front(), "[CLS]");
  EXPECT_EQ(tokens.pieces.back(), "[SEP]");
  EXPECT_EQ(tokens.words.front(), -1);
  EXPECT_EQ(tokens.words[1], 0);
  EXPECT_EQ(tokens.words[tokens.words.size() - 2], 1);
  EXPECT_EQ(tokenizer->special().mask, 4);
  EXPECT_EQ(tokenizer->special().classifier, 2);
  EXPECT_EQ(tokenizer->special().separator, 3);
  EXPECT_EQ(tokenizer->special().pad, 0);
  EXPECT_EQ(tokenizer->tokenize("[MASK]").ids, (std::vector<std::int64_t>{2, 4, 3}));
}

}  // namespace
}  // namespace headscope

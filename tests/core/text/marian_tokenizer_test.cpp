// Marian's files: a SentencePiece model that spells a text, and a list of ids.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/text/sentence_piece_files.h"

namespace headscope {
namespace {

using Ids = std::vector<std::int64_t>;

using test::four_bytes;
using test::number_field;
using test::piece;
using test::text_field;

const std::string kBlank = "\xE2\x96\x81";

std::string pieces() {
  return piece("<unk>", 0, 2) + piece("</s>", 0, 3) + piece(kBlank + "a", -1) + piece("b", -2) + piece(kBlank, -3) +
         piece("a", -4) + piece("ab", -2.5F);
}

constexpr const char* kList =
    R"({"</s>": 0, "<unk>": 1, "▁a": 2, "b": 3, "▁": 4, "a": 5, ">>fr<<": 6, "c": 7, "▁z": 8, "<pad>": 9})";

// "a" becomes "b", "ab" becomes "a": units of a double array.
std::string charsmap() {
  std::vector<std::uint32_t> units(0x301, 0);
  constexpr std::uint32_t leaf = 1U << 8, value = 1U << 31;
  units[0] = 0x100U << 10;
  units[0x161] = 'a' | leaf | 0x361U << 10;
  units[0x200] = value | 0;
  units[0x262] = 'b' | leaf | 0x162U << 10;
  units[0x300] = value | 2;
  std::string bytes = four_bytes(static_cast<std::uint32_t>(4 * units.size()));
  for (const std::uint32_t unit : units) bytes += four_bytes(unit);
  return bytes + std::string("b\0a\0", 4);
}

class MarianTokenizer : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("vocab.json", kList);
    folder_.write("source.spm", pieces());
  }
  Ids ids(const std::string& text, TextSide side = TextSide::source) const {
    return load_tokenizer(folder_.path(), side)->tokenize(text).ids;
  }
  std::string refusal() const {
    try {
      load_tokenizer(folder_.path());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  const TemporaryFolder folder_;
};

TEST_F(MarianTokenizer, PiecesHaveTheIdsOfTheList) {
  EXPECT_EQ(ids("ab"), (Ids{2, 3, 0})) << "the largest sum of scores";
  EXPECT_EQ(ids("  a   a "), (Ids{2, 2, 0})) << "blanks at the ends and double ones do not count";
  EXPECT_EQ(ids("bab"), (Ids{4, 3, 1, 0})) << "\"ab\" is likelier, and the list does not have it";
  EXPECT_EQ(ids("c"), (Ids{4, 7, 0})) << "the list knows what the model does not";
  EXPECT_EQ(ids("q"), (Ids{4, 1, 0}));
  EXPECT_EQ(ids(">>fr<< a"), (Ids{6, 2, 0}));
  EXPECT_EQ(ids("</s>"), (Ids{0, 0})) << "a special token that is typed";
  const auto tokenizer = load_tokenizer(folder_.path());
  EXPECT_EQ(tokenizer->vocabulary_size(), 10);
  EXPECT_EQ(tokenizer->kind(), "Unigram");
  EXPECT_EQ(tokenizer->special().end, 0);
  EXPECT_EQ(tokenizer->special().pad, 9);
  EXPECT_EQ(tokenizer->decode(Ids{2, 3, 8}), "ab z");
  const Tokens tokens = tokenizer->tokenize("a  ab");
  ASSERT_EQ(tokens.ids.size(), 4U);
  EXPECT_EQ(tokens.offsets[2], (Range{4, 5}));
}

TEST_F(MarianTokenizer, TheDecoderHasItsOwnModelAndList) {
  EXPECT_FALSE(has_target_vocabulary(folder_.path()));
  folder_.write("target.spm", piece("<unk>", 0, 2) + piece(kBlank + "a", -1) + piece(kBlank + "ab", -0.5F));
  EXPECT_TRUE(has_target_vocabulary(folder_.path()));
  EXPECT_EQ(ids("ab", TextSide::target), (Ids{1, 0})) << "a piece that the list does not have";
  folder_.write("target_vocab.json", R"({"</s>": 0, "<unk>": 1, "▁ab": 2})");
  EXPECT_EQ(ids("ab", TextSide::target), (Ids{2, 0}));
  EXPECT_EQ(ids("ab"), (Ids{2, 3, 0})) << "the encoder's";
}

TEST_F(MarianTokenizer, CharactersAreReplacedFromTheLongestOn) {
  folder_.write("source.spm", pieces() + text_field(3, text_field(2, charsmap())));
  EXPECT_EQ(ids("ab"), (Ids{2, 0})) << "ab -> a";
  EXPECT_EQ(ids("a"), (Ids{4, 3, 0})) << "a -> b";
  folder_.write("source.spm", pieces() + text_field(3, number_field(3, 0)));
  EXPECT_EQ(ids("b"), (Ids{3, 0})) << "no blank is put in front";
}

TEST_F(MarianTokenizer, WhatIsNotMarianIsRefused) {
  const std::string whole = pieces();
  folder_.write("source.spm", whole.substr(0, whole.size() - 3));
  EXPECT_NE(refusal().find("at byte"), std::string::npos) << refusal();
  folder_.write("source.spm", std::string(20, '\xFF'));
  EXPECT_NE(refusal().find("a number of at most 64 bits"), std::string::npos) << refusal();
  folder_.write("source.spm", "");
  EXPECT_NE(refusal().find("source.spm"), std::string::npos) << refusal();
  folder_.write("source.spm", whole + text_field(2, number_field(3, 2)));
  EXPECT_NE(refusal().find("a BPE model"), std::string::npos) << refusal();
  folder_.write("source.spm", whole + text_field(2, number_field(35, 1)));
  EXPECT_NE(refusal().find("spelled by bytes"), std::string::npos) << refusal();
  folder_.write("source.spm", whole + text_field(3, number_field(5, 0)));
  EXPECT_NE(refusal().find("plain blanks"), std::string::npos) << refusal();
  folder_.write("source.spm", whole);
  folder_.write("vocab.json", R"({"a": 0, "</s>": 1})");
  EXPECT_NE(refusal().find("no piece \"<unk>\""), std::string::npos) << refusal();
  folder_.write("vocab.json", "[1]");
  EXPECT_NE(refusal().find("expected an object"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace headscope

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

using namespace std::string_literals;

std::vector<std::string> tokenizer_words_of(const std::string& text) {
  return make_word_tokenizer()->tokenize(text).pieces;
}

TEST(WordTokenizer, TheTutorialsPhraseHasFiveWords) {
  const Tokens tokens = make_word_tokenizer()->tokenize("Hola mi nombre es Alex");
  EXPECT_EQ(tokens.pieces, (std::vector<std::string>{"Hola", "mi", "nombre", "es", "Alex"}));
  EXPECT_EQ(tokens.offsets, (std::vector<Range>{{0, 4}, {5, 7}, {8, 14}, {15, 17}, {18, 22}}));
  EXPECT_EQ(tokens.words, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(tokens.ids.empty());
  EXPECT_TRUE(tokens.vocabulary_pieces.empty());
}

TEST(WordTokenizer, RunsOfAnyWhiteSpaceSeparateAndNothingIsEmpty) {
  EXPECT_TRUE(tokenizer_words_of("").empty());
  EXPECT_TRUE(tokenizer_words_of(" \t\r\n\v\f ").empty());
  EXPECT_EQ(tokenizer_words_of("  a \t\n b  "), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tokenizer_words_of("a\xC2\xA0"
                               "b\xE3\x80\x80"
                               "c\xE2\x80\xA8"
                               "d"),
            (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(WordTokenizer, SeparatesWherePythonsSplitDoesAndNowhereElse) {
  // [c for c in range(0x110000) if c < 0xD800 or c > 0xDFFF if len(f'a{chr(c)}b'.split()) == 2], Python 3.11.
  const std::vector<std::uint32_t> python = {0x9,    0xA,    0xB,    0xC,    0xD,    0x1C,   0x1D,   0x1E,
                                             0x1F,   0x20,   0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002,
                                             0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A,
                                             0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  std::vector<std::uint32_t> ours;
  const std::unique_ptr<Tokenizer> tokenizer = make_word_tokenizer();
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text = "a";
    append_utf8(text, value);
    text += "b";
    if (tokenizer->tokenize(text).pieces.size() == 2) ours.push_back(value);
  }
  EXPECT_EQ(ours, python);
}

TEST(WordTokenizer, KeepsTheBytesOfEveryPiece) {
  for (const std::string& text :
       {"\xF0\x9F\x98\x80 \xE4\xBD\xA0\xE5\xA5\xBD e\xCC\x81"s, "a\xFF\xC3 \x80 b"s, "nul\0inside and\0 after"s}) {
    const Tokens tokens = make_word_tokenizer()->tokenize(text);
    ASSERT_EQ(tokens.pieces.size(), 3u);
    ASSERT_EQ(tokens.offsets.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const Range range = tokens.offsets[i];
      EXPECT_EQ(tokens.pieces[i],
                text.substr(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size())));
    }
  }
}

TEST(WordTokenizer, HasNoVocabulary) {
  const std::unique_ptr<Tokenizer> tokenizer = make_word_tokenizer();
  EXPECT_EQ(tokenizer->vocabulary_size(), 0);
  EXPECT_EQ(tokenizer->piece_of(3), "#3");
  EXPECT_FALSE(tokenizer->id_of("a").has_value());
  EXPECT_FALSE(tokenizer->special().unknown.has_value());
  EXPECT_FALSE(tokenizer->special().is_special(0));
  EXPECT_TRUE(suggestions(*tokenizer, "a").empty());
  const std::vector<std::int64_t> ids = {0};
  EXPECT_THROW(tokenizer->decode(ids), Error);
}

TEST(WordTokenizer, AZeroWidthSpaceDoesNotSeparate) {
  EXPECT_EQ(tokenizer_words_of("a\xE2\x80\x8B"
                               "b")
                .size(),
            1u);
  EXPECT_EQ(tokenizer_words_of("a\xEF\xBB\xBF"
                               "b")
                .size(),
            1u);
}

}  // namespace
}  // namespace headscope

// Folders whose only vocabulary is a SentencePiece file. Trained ones, with SentencePiece's own ids, are in
// tokenizer_vectors_test.cpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/text/sentence_piece_files.h"

namespace headscope {
namespace {

using Ids = std::vector<std::int64_t>;
using test::number_field;
using test::piece;
using test::text_field;

const std::string kTokenizerBlank = "\xE2\x96\x81";

// <unk> 0, <s> 1, </s> 2, then pieces of a and b.
std::string tokenizer_pieces(const std::string& more = "") {
  return piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3) + piece(kTokenizerBlank, -3) + piece("a", -4) +
         piece("b", -3) + piece(kTokenizerBlank + "a", -1) + piece("ab", -2) + more;
}

std::string as_bpe() {
  return text_field(2, number_field(3, 2));
}

class SentencePieceTokenizer : public ::testing::Test {
 protected:
  Ids ids(const std::string& text) const { return load_tokenizer(folder_.path())->tokenize(text).ids; }
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

TEST_F(SentencePieceTokenizer, AFileByItselfGivesItsPiecesAlone) {
  folder_.write("tokenizer.model", tokenizer_pieces() + as_bpe());
  const auto tokenizer = load_tokenizer(folder_ / "tokenizer.model");
  EXPECT_EQ(tokenizer->tokenize("ab").ids, (Ids{6, 5})) << "no <s>, as SentencePiece's encode()";
  EXPECT_EQ(tokenizer->tokenize("<s>").ids.front(), 3) << "a control piece is not looked for in a text";
  EXPECT_EQ(tokenizer->decode(Ids{6, 5}), "ab");
  folder_.write("other.spm", tokenizer_pieces());
  EXPECT_EQ(load_tokenizer(folder_ / "other.spm")->kind(), "Unigram");
}

TEST_F(SentencePieceTokenizer, TheNameOfTheFileSaysWhatStandsAroundAText) {
  folder_.write("tokenizer.model", tokenizer_pieces() + as_bpe());
  EXPECT_EQ(ids("ab"), (Ids{1, 6, 5})) << "Llama's: <s> before";
  const auto tokenizer = load_tokenizer(folder_.path());
  EXPECT_EQ(tokenizer->kind(), "BPE");
  EXPECT_EQ(tokenizer->special().unknown, 0);
  EXPECT_EQ(tokenizer->special().begin, 1);
  EXPECT_EQ(tokenizer->special().end, 2);
  EXPECT_EQ(tokenizer->decode(Ids{6, 5, 6}), "ab a");
  EXPECT_EQ(tokenizer->tokenize("<s>").ids, (Ids{1, 1})) << "a control piece that is typed";
  EXPECT_EQ(tokenizer->tokenize("q\u2603").ids, (Ids{1, 3, 0})) << "neighbours that are unknown are one";
  folder_.write("spiece.model", tokenizer_pieces());
  EXPECT_EQ(ids("ab"), (Ids{6, 5, 2})) << "T5's: </s> behind";
  EXPECT_EQ(load_tokenizer(folder_.path())->kind(), "Unigram");
}

TEST_F(SentencePieceTokenizer, ConfigSaysWhoseTokenizerItIs) {
  folder_.write("spiece.model", tokenizer_pieces());
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizerFast", "add_eos_token": true})");
  EXPECT_EQ(ids("ab"), (Ids{1, 6, 5, 2}));
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": false})");
  EXPECT_EQ(ids("ab"), (Ids{6, 5}));
  folder_.write("tokenizer_config.json", "{}");
  folder_.write("config.json", R"({"model_type": "xlm-roberta"})");
  EXPECT_EQ(ids("ab \u2603"), (Ids{0, 7, 6, 4, 3, 2})) << "fairseq's ids";
  EXPECT_EQ(load_tokenizer(folder_.path())->special().mask, 9) << "behind eight pieces and <pad>";
  folder_.write("config.json", R"({"model_type": "mbart"})");
  EXPECT_EQ(load_tokenizer(folder_.path()), nullptr) << "ids alone are taken: mBART's and mBART-50's frames differ";
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "MBartTokenizer"})");
  EXPECT_EQ(ids("ab"), (Ids{7, 6, 2, 12})) << "en_XX, the fourth language behind eight pieces and <pad>";
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "MBartTokenizer", "src_lang": "fr_XX"})");
  EXPECT_EQ(ids("ab"), (Ids{7, 6, 2, 16}));
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "MBartTokenizer", "src_lang": "sl_SI"})");
  EXPECT_NE(refusal().find("25 languages"), std::string::npos) << refusal();
  folder_.write("config.json", R"({"model_type": "camembert"})");
  folder_.write("tokenizer_config.json", "{}");
  EXPECT_EQ(ids("ab"), (Ids{5, 10, 9, 6}));
  folder_.write("config.json", R"({"model_type": "mbart"})");
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "XLNetTokenizer"})");
  EXPECT_EQ(load_tokenizer(folder_.path()), nullptr);
}

// The language stands in front, of 52, and </s> alone behind.
TEST_F(SentencePieceTokenizer, ATextOfMBart50BeginsWithItsLanguage) {
  folder_.write("sentencepiece.bpe.model", tokenizer_pieces());
  folder_.write("config.json", R"({"model_type": "mbart"})");
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "MBart50Tokenizer"})");
  EXPECT_EQ(ids("ab"), (Ids{12, 7, 6, 2})) << "en_XX";
  EXPECT_EQ(load_tokenizer(folder_.path())->special().mask, 61) << "behind eight pieces, <pad> and 52 languages";
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "MBart50TokenizerFast", "src_lang": "sl_SI"})");
  EXPECT_EQ(ids("ab"), (Ids{60, 7, 6, 2})) << "the last language";
  EXPECT_EQ(ids("ro_RO ab"), (Ids{60, 28, 7, 6, 2})) << "a language that the text spells is a token";
  folder_.write("tokenizer_config.json", R"({"tokenizer_class": "MBart50Tokenizer", "src_lang": "xx_XX"})");
  EXPECT_NE(refusal().find("52 languages"), std::string::npos) << refusal();
}

TEST_F(SentencePieceTokenizer, TokensBehindThePiecesHaveTheirFamilysPlaces) {
  folder_.write("spiece.model", tokenizer_pieces());
  EXPECT_EQ(ids("a <extra_id_0> a <extra_id_99>"), (Ids{6, 107, 6, 8, 2}));
  folder_.write("tokenizer_config.json", R"({"extra_ids": 2})");
  EXPECT_EQ(ids("<extra_id_0><extra_id_1>"), (Ids{9, 8, 2}));
  folder_.write("tokenizer_config.json",
                R"({"extra_ids": 0, "added_tokens_decoder": {"8": {"content": "<x>", "special": true},
                   "4": {"content": "a"}}})");
  folder_.write("added_tokens.json", R"({"<y>": 12})");
  EXPECT_EQ(ids("a<x>a<y>"), (Ids{6, 8, 6, 12, 2}));
  EXPECT_EQ(load_tokenizer(folder_.path())->vocabulary_size(), 13);
  folder_.write("tokenizer_config.json", R"({"added_tokens_decoder": {"8x": {"content": "<x>"}}})");
  EXPECT_NE(refusal().find("an id of the vocabulary"), std::string::npos) << refusal();
}

TEST_F(SentencePieceTokenizer, PairsOfTextsAndMasks) {
  const std::string frame = piece("[CLS]", 0, 3) + piece("[SEP]", 0, 3) + piece("[MASK]", 0, 3);
  folder_.write("spiece.model", tokenizer_pieces(frame));
  folder_.write("config.json", R"({"model_type": "albert"})");
  EXPECT_EQ(ids("A [MASK] \u00C4"), (Ids{8, 6, 10, 6, 9})) << "lower case, without accents";
  const auto tokenizer = load_tokenizer(folder_.path());
  const Tokens pair = tokenizer->tokenize_pair("a", "ab");
  EXPECT_EQ(pair.ids, (Ids{8, 6, 9, 6, 5, 9}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 1, 1, 1}));
  const Tokens masked = tokenizer->tokenize("a [MASK]");
  EXPECT_EQ(masked.offsets[2], (Range{1, 8})) << "ALBERT's mask takes the blank before it";
  folder_.write("tokenizer_config.json", R"({"do_lower_case": false, "keep_accents": true})");
  EXPECT_EQ(ids("A"), (Ids{8, 3, 0, 9}));
}

TEST_F(SentencePieceTokenizer, PiecesOfUsersStandWhole) {
  const std::string defined = piece("ba", 0, 4) + piece("b ", 0, 4) + piece("bab", -9);
  folder_.write("tokenizer.model", tokenizer_pieces(defined) + as_bpe());
  EXPECT_EQ(ids("abab"), (Ids{1, 6, 8, 5})) << "bab is not made across it";
  EXPECT_EQ(ids("ab  a"), (Ids{1, 6, 5, 6}));
  folder_.write("tokenizer.model", tokenizer_pieces(defined));
  EXPECT_EQ(ids("abab"), (Ids{1, 6, 8, 5})) << "it weighs -0.1: ▁a ba b -4.1, ▁ ab ab -7";
}

TEST_F(SentencePieceTokenizer, BlanksAreThoseOfTheFile) {
  folder_.write("tokenizer.model", tokenizer_pieces());
  EXPECT_EQ(ids("  a \t a "), (Ids{1, 6, 3, 0, 6})) << "a tab is no blank without a map";
  folder_.write("tokenizer.model", tokenizer_pieces() + text_field(3, number_field(4, 0)));
  EXPECT_EQ(ids(" a  "), (Ids{1, 3, 6, 3, 3})) << "remove_extra_whitespaces false";
  EXPECT_EQ(load_tokenizer(folder_.path())->decode(Ids{3, 6, 3, 3}), " a  ");
  folder_.write("tokenizer.model", tokenizer_pieces() + text_field(3, number_field(3, 0)));
  EXPECT_EQ(ids("a a"), (Ids{1, 4, 6})) << "add_dummy_prefix false";
  folder_.write("tokenizer.model", tokenizer_pieces(piece(" ", -1)) + text_field(3, number_field(5, 0)));
  EXPECT_EQ(ids("a  a"), (Ids{1, 8, 4, 8, 4})) << "escape_whitespaces false";
  EXPECT_EQ(ids(""), Ids{1});
  EXPECT_EQ(ids("   "), Ids{1});
}

TEST_F(SentencePieceTokenizer, UnusedPiecesSpellNothing) {
  folder_.write("spiece.model", tokenizer_pieces(piece("\u2603", -1, 5) + piece("bb", -0.5F, 5)));
  EXPECT_EQ(ids("\u2603bb"), (Ids{3, 0, 5, 5, 2}));
  folder_.write("spiece.model", tokenizer_pieces(piece("bb", -0.5F, 5)) + as_bpe());
  EXPECT_NE(refusal().find("unused pieces in a BPE model"), std::string::npos) << refusal();
}

TEST_F(SentencePieceTokenizer, WhatIsNotReadIsRefused) {
  const auto refused = [&](const std::string& bytes, const char* words) {
    folder_.write("spiece.model", bytes);
    EXPECT_NE(refusal().find("spiece.model"), std::string::npos) << refusal();
    EXPECT_NE(refusal().find(words), std::string::npos) << refusal();
  };
  refused(tokenizer_pieces().substr(0, 40), "at byte");
  refused("", "spiece.model");
  refused(tokenizer_pieces(piece("c", std::numeric_limits<float>::quiet_NaN())), "a finite score");
  refused(tokenizer_pieces() + text_field(2, number_field(3, 3)), "a word model");
  refused(tokenizer_pieces() + text_field(2, number_field(3, 4)), "a character model");
  refused(tokenizer_pieces() + text_field(2, number_field(24, 1)), "ends of pieces");
  refused(piece("a", -1) + piece("</s>", 0, 3), "no unknown piece");
  refused(tokenizer_pieces(piece("<u>", 0, 2)), "two unknown pieces");
  refused(tokenizer_pieces(piece("a", -1)), "the piece \"a\" twice");
  refused(tokenizer_pieces() + text_field(3, text_field(2, "abcde")), "precompiled_charsmap");
  refused(piece("<unk>", 0, 2), "no piece \"</s>\"");
  folder_.write("spiece.model", tokenizer_pieces());
  folder_.write("tokenizer_config.json", R"({"split_by_punct": true})");
  EXPECT_NE(refusal().find("split_by_punct"), std::string::npos) << refusal();
}

TEST_F(SentencePieceTokenizer, UnknownListsOfTiktokenAreSaidToBeAndTokenizerJsonGoesFirst) {
  folder_.write("tokenizer.model", "IQ== 0\nIg== 1\n");
  EXPECT_THROW(load_tokenizer(folder_.path()), UnknownTokenizer);
  folder_.write("tokenizer.model", tokenizer_pieces());
  folder_.write("tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"u": 0}, "unk_token": "u"}})");
  EXPECT_EQ(load_tokenizer(folder_.path())->kind(), "WordLevel");
}

}  // namespace
}  // namespace headscope

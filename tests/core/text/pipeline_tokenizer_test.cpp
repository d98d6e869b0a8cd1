// tokenizer.json, part by part. What each should do: Hugging Face's tokenizers 0.23, whose answers stand here as facts.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/text/tokenizer_files.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;
using Pieces = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;
using Ranges = std::vector<Range>;

Json words(const std::vector<std::string>& pieces) {
  Json vocabulary = Json::object();
  for (std::size_t k = 0; k < pieces.size(); ++k) vocabulary[pieces[k]] = k;
  return vocabulary;
}

// Every word is its own text, so that a test sees what the pre-tokenizer made.
TokenizerJson splitter(const Json& pre_tokenizer, const Json& normalizer = nullptr) {
  TokenizerJson json;
  json.normalizer = normalizer;
  json.pre_tokenizer = pre_tokenizer;
  json.model = {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", Json::array({Json::array({"<unk>", 0.0})})}};
  return json;
}

Pieces tokenizer_split(const std::string& text, const Json& pre_tokenizer, const Json& normalizer = nullptr) {
  return tokenizer_of(splitter(pre_tokenizer, normalizer))->tokenize(text).vocabulary_pieces;
}

TokenizerJson word_level() {
  TokenizerJson json;
  json.added_tokens = nlohmann::ordered_json::array({added_token(0, "[UNK]"), added_token(1, "[MASK]")});
  json.normalizer = {{"type", "Lowercase"}};
  json.pre_tokenizer = {{"type", "Whitespace"}};
  json.model = {{"type", "WordLevel"},
                {"unk_token", "[UNK]"},
                {"vocab", words({"[UNK]", "[MASK]", "the", "animal", "street", ".", "an", "animals"})}};
  return json;
}

TEST(PipelineTokenizer, TwoTextsAreJoinedAsTheirPatternSays) {
  TokenizerJson json = word_level();
  EXPECT_FALSE(tokenizer_of(json)->knows_pairs());
  EXPECT_THROW(tokenizer_of(json)->tokenize_pair("the", "street"), Error);
  json.post_processor = {{"type", "BertProcessing"}, {"sep", {"[MASK]", 1}}, {"cls", {"[UNK]", 0}}};
  const auto bert = tokenizer_of(json);
  ASSERT_TRUE(bert->knows_pairs());
  const Tokens tokens = bert->tokenize_pair("The animal", " street .");
  EXPECT_EQ(tokens.ids, (Ids{0, 2, 3, 1, 4, 5, 1}));
  EXPECT_EQ(tokens.types, (Ids{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(tokens.texts, (Ids{-1, 0, 0, -1, 1, 1, -1}));
  EXPECT_EQ(tokens.offsets, (Ranges{{0, 0}, {0, 3}, {4, 10}, {0, 0}, {1, 7}, {8, 9}, {0, 0}}));
  EXPECT_EQ(tokens.words, (Ids{-1, 0, 1, -1, 2, 3, -1})) << "words of both texts are told apart";
  EXPECT_TRUE(bert->tokenize("the").types.empty());

  json.post_processor["type"] = "RobertaProcessing";
  const Tokens roberta = tokenizer_of(json)->tokenize_pair("the", "street");
  EXPECT_EQ(roberta.ids, (Ids{0, 2, 1, 1, 4, 1}));
  EXPECT_EQ(roberta.types, (Ids{0, 0, 0, 0, 0, 0}));

  const Json mask = {{"SpecialToken", {{"id", "[MASK]"}, {"type_id", 0}}}};
  const Json last = {{"SpecialToken", {{"id", "[MASK]"}, {"type_id", 2}}}};
  const Json a = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}, b = {{"Sequence", {{"id", "B"}, {"type_id", 1}}}};
  const Json single = Json::array({a, mask});
  Json processor = {{"type", "TemplateProcessing"},
                    {"single", single},
                    {"pair", Json::array({mask, a, b, last})},
                    {"special_tokens", {{"[MASK]", {{"id", "[MASK]"}, {"ids", {1}}, {"tokens", {"[MASK]"}}}}}}};
  json.post_processor = processor;
  const Tokens own = tokenizer_of(json)->tokenize_pair("the", "street an");
  EXPECT_EQ(own.ids, (Ids{1, 2, 4, 6, 1}));
  EXPECT_EQ(own.types, (Ids{0, 0, 1, 1, 2}));
  EXPECT_EQ(tokenizer_of(json)->tokenize("the").ids, (Ids{2, 1})) << "one text has its own pattern";

  for (const Json& pair : {Json::array(), Json::array({b, a}), Json::array({a, b, b}), Json::array({a})}) {
    processor["pair"] = pair;
    json.post_processor = processor;
    EXPECT_FALSE(tokenizer_of(json)->knows_pairs()) << pair;
  }
  processor["pair"] = Json::array({a, {{"Sequence", {{"id", "C"}}}}});
  json.post_processor = processor;
  EXPECT_THROW(tokenizer_of(json), Error);
}

TEST(PipelineTokenizer, WordsOutsideAVocabularyAreUnknownAndKeepTheirPlace) {
  const auto tokenizer = tokenizer_of(word_level());
  const Tokens tokens = tokenizer->tokenize("The zebra. [MASK] animal");
  EXPECT_EQ(tokens.ids, (Ids{2, 0, 5, 1, 3}));
  EXPECT_EQ(tokens.pieces, (Pieces{"the", "[UNK]", ".", "[MASK]", "animal"}));
  EXPECT_EQ(tokens.offsets, (Ranges{{0, 3}, {4, 9}, {9, 10}, {11, 17}, {18, 24}}));
  EXPECT_EQ(tokens.words, (Ids{0, 1, 2, -1, 3}));
  EXPECT_EQ(tokenizer->vocabulary_size(), 8);
  EXPECT_EQ(tokenizer->special().unknown, 0);
  EXPECT_EQ(tokenizer->special().mask, 1);
  EXPECT_FALSE(tokenizer->special().end.has_value());
  EXPECT_TRUE(tokenizer->special().is_special(1));
  EXPECT_FALSE(tokenizer->special().is_special(2));
  EXPECT_EQ(tokenizer->id_of("street"), 4);
  EXPECT_FALSE(tokenizer->id_of("zebra").has_value());
  EXPECT_EQ(tokenizer->piece_of(3), "animal");
  EXPECT_EQ(tokenizer->piece_of(8), "#8");
  EXPECT_EQ(tokenizer->piece_of(-1), "#-1");
}

TEST(PipelineTokenizer, SuggestsWordsOfTheVocabulary) {
  const auto tokenizer = tokenizer_of(word_level());
  EXPECT_EQ(suggestions(*tokenizer, "the An"), (Pieces{"animal", "animals"}));
  EXPECT_EQ(suggestions(*tokenizer, "the an", 1), (Pieces{"animal"}));
  EXPECT_EQ(suggestions(*tokenizer, "the.st"), (Pieces{"street"}));
  EXPECT_TRUE(suggestions(*tokenizer, "animal ").empty());
  EXPECT_TRUE(suggestions(*tokenizer, "").empty());
  EXPECT_TRUE(suggestions(*tokenizer, "[M").empty());
}

TEST(PipelineTokenizer, PreTokenizersSplitAsTheirNamesSay) {
  EXPECT_EQ(tokenizer_split("Hey, you_1 don't  é!", {{"type", "Whitespace"}}),
            (Pieces{"Hey", ",", "you_1", "don", "'", "t", "é", "!"}));
  EXPECT_EQ(tokenizer_split(" Hey,\tyou ", {{"type", "WhitespaceSplit"}}), (Pieces{"Hey,", "you"}));
  EXPECT_EQ(tokenizer_split("Hey, you.", {{"type", "BertPreTokenizer"}}), (Pieces{"Hey", ",", "you", "."}));
  EXPECT_EQ(tokenizer_split("a,b。c", {{"type", "Punctuation"}}), (Pieces{"a", ",", "b", "。", "c"}));
  EXPECT_EQ(tokenizer_split("a12b３", {{"type", "Digits"}, {"individual_digits", false}}),
            (Pieces{"a", "12", "b", "３"}));
  EXPECT_EQ(tokenizer_split("a12", {{"type", "Digits"}, {"individual_digits", true}}), (Pieces{"a", "1", "2"}));
  EXPECT_EQ(tokenizer_split("a--b", {{"type", "CharDelimiterSplit"}, {"delimiter", "-"}}), (Pieces{"a", "b"}));
  EXPECT_EQ(tokenizer_split("Hey you", {{"type", "ByteLevel"}, {"add_prefix_space", true}}), (Pieces{"ĠHey", "Ġyou"}));
  EXPECT_EQ(tokenizer_split("a b\n", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}),
            (Pieces{"aĠbĊ"}));
  const Json sequence = {
      {"type", "Sequence"},
      {"pretokenizers", {{{"type", "WhitespaceSplit"}}, {{"type", "Digits"}, {"individual_digits", true}}}}};
  EXPECT_EQ(tokenizer_split("ab 12", sequence), (Pieces{"ab", "1", "2"}));
}

TEST(PipelineTokenizer, MetaspaceKnowsItsOldAndItsNewForm) {
  EXPECT_EQ(tokenizer_split("Hey  you", {{"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", true}}),
            (Pieces{"▁Hey", "▁", "▁you"}));
  EXPECT_EQ(tokenizer_split("Hey you", {{"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", false}}),
            (Pieces{"Hey", "▁you"}));
  EXPECT_EQ(tokenizer_split("Hey you", {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "never"}}),
            (Pieces{"Hey", "▁you"}));
  EXPECT_EQ(tokenizer_split("Hey you", {{"type", "Metaspace"}, {"prepend_scheme", "always"}, {"split", false}}),
            (Pieces{"▁Hey▁you"}));
  TokenizerJson first = splitter({{"type", "Metaspace"}, {"prepend_scheme", "first"}});
  first.added_tokens = nlohmann::ordered_json::array({added_token(1, "<s>")});
  EXPECT_EQ(tokenizer_of(first)->tokenize("a<s>b").vocabulary_pieces, (Pieces{"▁a", "<s>", "b"}));
}

TEST(PipelineTokenizer, ASplitsBehavioursJoinMatchesInFiveWays) {
  const auto by = [](const char* behavior, bool invert = false) {
    return tokenizer_split(
        "the-final--countdown",
        {{"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior}, {"invert", invert}});
  };
  EXPECT_EQ(by("Removed"), (Pieces{"the", "final", "countdown"}));
  EXPECT_EQ(by("Isolated"), (Pieces{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(by("MergedWithPrevious"), (Pieces{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(by("MergedWithNext"), (Pieces{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(by("Contiguous"), (Pieces{"the", "-", "final", "--", "countdown"}));
  EXPECT_EQ(by("Removed", true), (Pieces{"-", "-", "-"}));
}

TEST(PipelineTokenizer, NormalizersChangeTheTextAndKeepItsPlace) {
  const auto of = [](const std::string& text, const Json& normalizer) {
    std::string all;
    for (const std::string& piece : tokenizer_split(text, nullptr, normalizer)) all += piece;
    return all;
  };
  EXPECT_EQ(of("ÀÉ ŒÜ", {{"type", "Lowercase"}}), "àé œü");
  EXPECT_EQ(of("é", {{"type", "NFD"}}), "e\xCC\x81");
  EXPECT_EQ(of("e\xCC\x81", {{"type", "NFC"}}), "é");
  EXPECT_EQ(of("ﬁ①", {{"type", "NFKC"}}), "fi1");
  EXPECT_EQ(of("ﬁé", {{"type", "NFKD"}}), "fie\xCC\x81");
  EXPECT_EQ(of("한", {{"type", "NFD"}}), "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB");
  EXPECT_EQ(of("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", {{"type", "NFC"}}), "한");
  EXPECT_EQ(of("e\xCC\x81x", {{"type", "StripAccents"}}), "ex");
  EXPECT_EQ(of("  a ", {{"type", "Strip"}, {"strip_left", true}, {"strip_right", false}}), "a ");
  EXPECT_EQ(of("ab", {{"type", "Prepend"}, {"prepend", "▁"}}), "▁ab");
  EXPECT_EQ(of("a b c", {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}), "a▁b▁c");
  EXPECT_EQ(of("a   b", {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}}), "a b");
  EXPECT_EQ(of("é", {{"type", "ByteLevel"}}), "Ã©");
  const Json bert = {{"type", "BertNormalizer"},
                     {"clean_text", true},
                     {"handle_chinese_chars", true},
                     {"strip_accents", nullptr},
                     {"lowercase", true}};
  EXPECT_EQ(of("Héllo\tW\x01中国 Ö", bert), "hello w 中  国  o");
  const Json sequence = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFD"}}, {{"type", "StripAccents"}}}}};
  EXPECT_EQ(of("naïve", sequence), "naive");
}

TEST(PipelineTokenizer, RangesPointAtTheTextThatWasTyped) {
  TokenizerJson json = splitter({{"type", "BertPreTokenizer"}}, {{"type", "BertNormalizer"}, {"lowercase", true}});
  const Tokens tokens = tokenizer_of(json)->tokenize("\x01 É中e\xCC\x81!");
  EXPECT_EQ(tokens.vocabulary_pieces, (Pieces{"e", "中", "e", "!"}));
  EXPECT_EQ(tokens.offsets, (Ranges{{2, 4}, {4, 7}, {7, 8}, {10, 11}}));
}

TEST(PipelineTokenizer, AnInvalidByteCountsAsTheReplacementCharacter) {
  TokenizerJson json = splitter({{"type", "WhitespaceSplit"}});
  const Tokens tokens = tokenizer_of(json)->tokenize("a\xFF\xC3 b");
  EXPECT_EQ(tokens.vocabulary_pieces, (Pieces{"a\xEF\xBF\xBD\xEF\xBF\xBD", "b"}));
  EXPECT_EQ(tokens.offsets, (Ranges{{0, 3}, {4, 5}}));
}

TEST(PipelineTokenizer, AddedTokensTakeBlanksAlongAndRespectWords) {
  TokenizerJson json = splitter({{"type", "WhitespaceSplit"}});
  Json left = added_token(1, "<mask>"), right = added_token(2, "<r>"), word = added_token(3, "fox", false);
  left["lstrip"] = true;
  right["rstrip"] = true;
  word["single_word"] = true;
  json.added_tokens = nlohmann::ordered_json::array({left, right, word, added_token(4, "<mask>>")});
  const Tokens tokens = tokenizer_of(json)->tokenize("a  <mask> <r>  b foxes fox, <mask>>");
  EXPECT_EQ(tokens.ids, (Ids{0, 1, 2, 0, 0, 3, 0, 4}));
  EXPECT_EQ(tokens.vocabulary_pieces, (Pieces{"a", "  <mask>", "<r>  ", "b", "foxes", "fox", ",", "<mask>>"}));
  EXPECT_EQ(tokens.pieces[1], "<mask>");
  EXPECT_EQ(tokens.offsets[1], (Range{1, 9}));
  EXPECT_EQ(tokens.words, (Ids{0, -1, -1, 1, 2, 3, 4, -1}));
}

TEST(PipelineTokenizer, ANormalizedAddedTokenIsFoundInTheNormalizedText) {
  TokenizerJson json = splitter({{"type", "WhitespaceSplit"}}, {{"type", "Lowercase"}});
  Json token = added_token(1, "Fox", false);
  token["normalized"] = true;
  json.added_tokens = nlohmann::ordered_json::array({token});
  EXPECT_EQ(tokenizer_of(json)->tokenize("a FOXfox").ids, (Ids{0, 1, 1}));
}

TEST(PipelineTokenizer, PostProcessorsFrameTheTokens) {
  TokenizerJson json = word_level();
  json.post_processor = {{"type", "BertProcessing"}, {"sep", {"[MASK]", 1}}, {"cls", {"[UNK]", 0}}};
  Tokens tokens = tokenizer_of(json)->tokenize("the");
  EXPECT_EQ(tokens.ids, (Ids{0, 2, 1}));
  EXPECT_EQ(tokens.offsets, (Ranges{{0, 0}, {0, 3}, {0, 0}}));
  EXPECT_EQ(tokens.words, (Ids{-1, 0, -1}));
  const Json item = {{"SpecialToken", {{"id", "X"}, {"type_id", 0}}}};
  const Json sequence = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  json.post_processor = {{"type", "TemplateProcessing"},
                         {"single", {item, sequence, item, item}},
                         {"pair", Json::array()},
                         {"special_tokens", {{"X", {{"id", "X"}, {"ids", {1, 0}}, {"tokens", {"[MASK]", "[UNK]"}}}}}}};
  tokens = tokenizer_of(json)->tokenize("the");
  EXPECT_EQ(tokens.ids, (Ids{1, 0, 2, 1, 0, 1, 0}));
  EXPECT_EQ(tokens.pieces[1], "[UNK]");
  EXPECT_EQ(tokenizer_of(json)->tokenize("").ids, (Ids{1, 0, 1, 0, 1, 0}));
}

TEST(PipelineTokenizer, TrimmedRangesLeaveTheBlanksOut) {
  TokenizerJson json = splitter({{"type", "ByteLevel"}, {"add_prefix_space", false}});
  EXPECT_EQ(tokenizer_of(json)->tokenize("a b").offsets, (Ranges{{0, 1}, {1, 3}}));
  json.post_processor = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}};
  EXPECT_EQ(tokenizer_of(json)->tokenize("a b").offsets, (Ranges{{0, 1}, {2, 3}}));
}

TEST(PipelineTokenizer, DecodersGiveTheTextBack) {
  TokenizerJson json;
  json.model = {{"type", "WordLevel"},
                {"vocab", words({"▁un", "##s", "Ġn", "Ã", "©", "<0xC3>", "<0xA9>", "a</w>", "b", " "})}};
  const auto decode = [&](const Json& decoder, const Ids& ids) {
    json.decoder = decoder;
    return tokenizer_of(json)->decode(ids);
  };
  EXPECT_EQ(decode(nullptr, {7, 8}), "a</w> b");
  EXPECT_EQ(decode({{"type", "ByteLevel"}}, {2, 3, 4}), " né");
  EXPECT_EQ(decode({{"type", "ByteLevel"}}, {3}), "\xEF\xBF\xBD");
  EXPECT_EQ(decode({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}, {8, 1, 8}), "bs b");
  EXPECT_EQ(decode({{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}}, {0, 0}), "un un");
  EXPECT_EQ(decode({{"type", "ByteFallback"}}, {8, 5, 6, 8, 5}), "béb\xEF\xBF\xBD");
  EXPECT_EQ(decode({{"type", "BPEDecoder"}, {"suffix", "</w>"}}, {7, 8, 7}), "a ba");
  const Json llama = {{"type", "Sequence"},
                      {"decoders",
                       {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                        {{"type", "ByteFallback"}},
                        {{"type", "Fuse"}},
                        {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}};
  EXPECT_EQ(decode(llama, {0, 5, 6, 0}), "uné un");
  EXPECT_THROW(decode(nullptr, {10}), Error);
  EXPECT_THROW(decode(nullptr, {-1}), Error);
}

TEST(PipelineTokenizer, PiecesAreShownAsText) {
  TokenizerJson json;
  json.model = {{"type", "WordLevel"}, {"vocab", words({"▁un", "##s", "Ġn", "Ã", "ĠÃ©"})}};
  json.decoder = {{"type", "ByteLevel"}};
  EXPECT_EQ(tokenizer_of(json)->piece_of(2), " n");
  EXPECT_EQ(tokenizer_of(json)->piece_of(3), "<0xC3>");
  EXPECT_EQ(tokenizer_of(json)->piece_of(4), " é");
  json.decoder = {{"type", "Metaspace"}, {"replacement", "▁"}};
  EXPECT_EQ(tokenizer_of(json)->piece_of(0), " un");
  json.decoder = {{"type", "WordPiece"}};
  EXPECT_EQ(tokenizer_of(json)->piece_of(1), "##s");
}

}  // namespace
}  // namespace headscope

// The models alone: what they spell, and that their work grows with the text and not with its square.
#include "core/text/vocabulary_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/text/split_pattern.h"
#include "core/text/tokenizer_json.h"

namespace headscope {
namespace {

BpeModel letters_and_merges(const std::string& letters,
                            const std::vector<std::pair<std::string, std::string>>& merges) {
  BpeModel model;
  std::int64_t next = 0;
  for (const char c : letters) model.vocabulary.add(std::string(1, c), next++);
  for (const auto& [left, right] : merges) {
    model.vocabulary.add(left + right, next++);
    add_merge(model, left, right, "test");
  }
  finish(model);
  return model;
}

std::vector<std::string> spelled(const VocabularyModel& model, const std::string& word) {
  ModelScratch scratch;
  std::vector<ModelToken> tokens;
  spell(model, word, scratch, tokens);
  std::vector<std::string> pieces;
  for (const ModelToken& token : tokens) pieces.emplace_back(vocabulary_of(model).piece(token.id));
  return pieces;
}

TEST(BpeModel, JoinsThePairThatWasLearnedFirst) {
  // Sennrich et al. 2016, algorithm 1: its toy words give the merges e s, es t, est </w>, l o, lo w.
  BpeModel model = letters_and_merges("lowernidst", {{"e", "s"}, {"es", "t"}, {"l", "o"}, {"lo", "w"}});
  EXPECT_EQ(spelled(model, "lowest"), (std::vector<std::string>{"low", "est"}));
  EXPECT_EQ(spelled(model, "newest"), (std::vector<std::string>{"n", "e", "w", "est"}));
  EXPECT_TRUE(spelled(model, "").empty());
}

TEST(BpeModel, OfEqualPairsTheLeftmostIsJoined) {
  const BpeModel model = letters_and_merges("a", {{"a", "a"}});
  EXPECT_EQ(spelled(model, "aaa"), (std::vector<std::string>{"aa", "a"}));
  EXPECT_EQ(spelled(model, "aaaa"), (std::vector<std::string>{"aa", "aa"}));
}

TEST(BpeModel, EqualsThePlainAlgorithmOnRandomWords) {
  const std::vector<std::pair<std::string, std::string>> merges = {
      {"a", "b"}, {"b", "b"}, {"a", "a"}, {"ab", "ab"}, {"aa", "b"}, {"bb", "a"}, {"aa", "aa"}, {"abab", "c"}};
  const BpeModel model = letters_and_merges("abc", merges);
  std::mt19937 random(3);
  for (int k = 0; k < 500; ++k) {
    std::string word;
    for (auto n = random() % 30; n > 0; --n) word += "abc"[random() % 3];
    std::vector<std::string> parts;
    for (const char c : word) parts.emplace_back(1, c);
    for (bool joined = true; joined;) {
      joined = false;
      for (std::size_t rank = 0; rank < merges.size() && !joined; ++rank) {
        for (std::size_t at = 0; at + 1 < parts.size() && !joined; ++at) {
          if (parts[at] != merges[rank].first || parts[at + 1] != merges[rank].second) continue;
          parts[at] += parts[at + 1];
          parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
          joined = true;
        }
      }
    }
    ASSERT_EQ(spelled(model, word), parts) << word;
  }
}

TEST(BpeModel, UnknownCharactersAreLeftOutFusedOrSpelledInBytes) {
  BpeModel model = letters_and_merges("ab", {});
  EXPECT_EQ(spelled(model, "axyb"), (std::vector<std::string>{"a", "b"}));
  model.vocabulary.add("?", 2);
  model.unknown = 2;
  EXPECT_EQ(spelled(model, "axyb"), (std::vector<std::string>{"a", "?", "?", "b"}));
  model.fuse_unknown = true;
  EXPECT_EQ(spelled(model, "axyb"), (std::vector<std::string>{"a", "?", "b"}));
  model.byte_fallback = true;
  model.vocabulary.add("<0xC3>", 3);
  EXPECT_EQ(spelled(model, "a\xC3\xA9"), (std::vector<std::string>{"a", "?"})) << "all its bytes or none";
  model.vocabulary.add("<0xA9>", 4);
  EXPECT_EQ(spelled(model, "a\xC3\xA9"), (std::vector<std::string>{"a", "<0xC3>", "<0xA9>"}));
}

TEST(BpeModel, AWordThatIsAPieceIsThatPieceWhenMergesAreIgnored) {
  BpeModel model = letters_and_merges("abc", {{"a", "b"}});
  model.vocabulary.add("abc", 4);
  EXPECT_EQ(spelled(model, "abc"), (std::vector<std::string>{"ab", "c"}));
  model.ignore_merges = true;
  EXPECT_EQ(spelled(model, "abc"), (std::vector<std::string>{"abc"}));
}

std::int64_t steps_for(const VocabularyModel& model, const std::string& word) {
  ModelScratch scratch;
  std::vector<ModelToken> tokens;
  spell(model, word, scratch, tokens);
  return scratch.steps;
}

TEST(BpeModel, StepsGrowWithTheWord) {
  std::vector<std::pair<std::string, std::string>> merges;
  for (std::string half = "a"; half.size() < 64; half += half) merges.push_back({half, half});
  const BpeModel model = letters_and_merges("a", merges);
  for (const std::size_t size : {std::size_t{1000}, std::size_t{100000}}) {
    EXPECT_LE(steps_for(model, std::string(size, 'a')), static_cast<std::int64_t>(3 * size));
  }
}

TEST(WordPieceModel, TakesTheLongestPieceAndTheWholeWordOrNothing) {
  WordPieceModel model;
  for (const char* piece : {"[UNK]", "un", "##aff", "##able", "##a"})
    model.vocabulary.add(piece, model.vocabulary.size());
  finish(model);
  // Devlin et al.'s own example: unaffable is un ##aff ##able.
  EXPECT_EQ(spelled(model, "unaffable"), (std::vector<std::string>{"un", "##aff", "##able"}));
  EXPECT_EQ(spelled(model, "unaffablex"), (std::vector<std::string>{"[UNK]"}));
  EXPECT_EQ(spelled(model, "affable"), (std::vector<std::string>{"[UNK]"}));
  EXPECT_EQ(spelled(model, "un" + std::string(98, 'a')).size(), 99u);
  EXPECT_EQ(spelled(model, "un" + std::string(99, 'a')), (std::vector<std::string>{"[UNK]"}));
  model.max_input_chars_per_word = 1'000'000;
  EXPECT_LE(steps_for(model, "un" + std::string(99998, 'a')), 100'000);
}

TEST(UnigramModel, FindsTheBestOfAllSpellings) {
  UnigramModel model;
  const std::vector<std::pair<std::string, double>> pieces = {{"?", 0},     {"a", -1},   {"b", -2},
                                                              {"ab", -2.5}, {"aba", -4}, {"ba", -2.2}};
  for (const auto& [piece, score] : pieces) {
    model.vocabulary.add(piece, model.vocabulary.size());
    model.scores.push_back(score);
  }
  model.unknown = 0;
  finish(model);
  EXPECT_EQ(model.unknown_score, -14);
  EXPECT_EQ(spelled(model, "aba"), (std::vector<std::string>{"a", "ba"}));
  EXPECT_EQ(spelled(model, "abxyb"), (std::vector<std::string>{"ab", "?", "b"}));
  // Every one of the 2^(n-1) ways to cut a word, tried.
  std::mt19937 random(5);
  for (int k = 0; k < 200; ++k) {
    std::string word;
    for (auto n = 1 + random() % 9; n > 0; --n) word += "ab"[random() % 2];
    double best = -1e9;
    for (std::uint32_t cuts = 0; cuts < (1u << (word.size() - 1)); ++cuts) {
      double sum = 0;
      std::size_t begin = 0;
      for (std::size_t at = 1; at <= word.size(); ++at) {
        if (at < word.size() && ((cuts >> (at - 1)) & 1) == 0) continue;
        const auto id = model.vocabulary.find(word.substr(begin, at - begin));
        sum += id ? model.scores[static_cast<std::size_t>(*id)] : -1e9;
        begin = at;
      }
      best = std::max(best, sum);
    }
    double ours = 0;
    for (const std::string& piece : spelled(model, word)) {
      ours += model.scores[static_cast<std::size_t>(*model.vocabulary.find(piece))];
    }
    EXPECT_TRUE(std::abs(ours - best) <= 1e-9) << word;
  }
  EXPECT_LE(steps_for(model, std::string(100'000, 'a')), 200'000);
}

TEST(Vocabulary, KeepsPiecesAndIdsBothWays) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.size(), 0);
  EXPECT_FALSE(vocabulary.find("a").has_value());
  for (int k = 0; k < 5000; ++k) EXPECT_TRUE(vocabulary.add("piece" + std::to_string(k), 3 * k));
  EXPECT_EQ(vocabulary.size(), 3 * 4999 + 1);
  for (int k = 0; k < 5000; ++k) {
    EXPECT_EQ(vocabulary.find("piece" + std::to_string(k)), 3 * k);
    EXPECT_EQ(vocabulary.piece(3 * k), "piece" + std::to_string(k));
  }
  EXPECT_FALSE(vocabulary.has(1));
  EXPECT_FALSE(vocabulary.has(-1));
  EXPECT_EQ(vocabulary.piece(1), "");
  EXPECT_FALSE(vocabulary.add("piece0", 1)) << "known already";
  EXPECT_EQ(vocabulary.find("piece0"), 0);
  EXPECT_EQ(vocabulary.piece(1), "piece0");
}

TEST(ByteTrie, FindsEveryPrefix) {
  const ByteTrie trie({{"a", 1}, {"abc", 2}, {"", 9}, {"b", 3}, {"\xC3\xA9", 4}, {"a", 5}});
  std::vector<std::pair<std::size_t, std::int32_t>> found;
  trie.each_prefix("abcd", [&](std::size_t length, std::int32_t value) { found.push_back({length, value}); });
  EXPECT_EQ(found, (std::vector<std::pair<std::size_t, std::int32_t>>{{1, 5}, {3, 2}}));
  EXPECT_EQ(trie.longest_prefix("x").first, 0u);
  EXPECT_EQ(trie.longest_prefix("").first, 0u);
  EXPECT_EQ(trie.longest_prefix("\xC3\xA9").second, 4);
  EXPECT_EQ(ByteTrie().longest_prefix("a").first, 0u);
}

std::vector<std::string> matches_of(const SplitPattern& pattern, const std::string& text) {
  std::vector<Match> matches;
  pattern.find(text, 0, text.size(), matches);
  std::vector<std::string> parts;
  for (const Match& match : matches) parts.push_back(text.substr(match.begin, match.end - match.begin));
  return parts;
}

TEST(SplitPattern, Gpt2sPatternPartsAsItsPaperSays) {
  const SplitPattern pattern(kGpt2Pattern, "test");
  EXPECT_EQ(matches_of(pattern, "I'm don't  you\n\n x9²!?"),
            (std::vector<std::string>{"I", "'m", " don", "'t", " ", " you", "\n\n", " x", "9²", "!?"}));
  EXPECT_EQ(matches_of(pattern, " \xC2\xA0z"), (std::vector<std::string>{" ", "\xC2\xA0", "z"}));
}

TEST(SplitPattern, BlanksAndWordCharactersAreUnicodes) {
  // U+180E is no White_Space since Unicode 6.3; U+0085 is.
  EXPECT_EQ(matches_of(SplitPattern(R"(\s)", "test"), "\xE1\xA0\x8E\xC2\x85"), (std::vector<std::string>{"\xC2\x85"}));
  EXPECT_EQ(matches_of(SplitPattern(R"([^\s]+)", "test"), "a\xE2\x80\xA8z"), (std::vector<std::string>{"a", "z"}));
  EXPECT_EQ(matches_of(SplitPattern(R"(\w+)", "test"), "e\xCC\x81_٣-x"),
            (std::vector<std::string>{"e\xCC\x81_٣", "x"}));
  EXPECT_EQ(matches_of(SplitPattern(R"(\W+|\S)", "test"), "a --"), (std::vector<std::string>{"a", " --"}));
  EXPECT_EQ(matches_of(SplitPattern("[]x]+", "test"), "a]x"), (std::vector<std::string>{"]x"}));
}

TEST(SplitPattern, LongRunsOfBlanksArePartedInOneGo) {
  const SplitPattern pattern(R"(\s*[\r\n]+|\s+(?!\S)|\s+)", "test");
  EXPECT_EQ(matches_of(pattern, std::string(200'000, ' ') + "x"),
            (std::vector<std::string>{std::string(199'999, ' '), " "}));
}

}  // namespace
}  // namespace headscope

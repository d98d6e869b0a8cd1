// Lists of tiktoken, against its rule written plainly: of all neighbours that are a piece together those of the lowest
// rank are joined, the leftmost first.
#include "core/text/tiktoken_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

std::string base64(const std::string& bytes) {
  const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (at + k < bytes.size() ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    }
    for (int k = 0; k < 4; ++k) {
      const bool padded = at + static_cast<std::size_t>(k) > bytes.size();
      text += padded ? '=' : letters[group >> (18 - 6 * k) & 63U];
    }
  }
  return text;
}

using Ranks = std::map<std::string, std::int64_t>;

// All bytes, then pieces of few letters at random, each of two that were there before, up to `count`.
Ranks random_ranks(std::int64_t count) {
  Ranks ranks;
  std::vector<std::string> pieces;
  const auto add = [&](const std::string& piece) {
    if (ranks.emplace(piece, static_cast<std::int64_t>(pieces.size())).second) pieces.push_back(piece);
  };
  for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  std::mt19937 random(3);
  const std::string letters = "abc d";
  for (const char a : letters) {
    for (const char b : letters) add({a, b});
  }
  while (static_cast<std::int64_t>(pieces.size()) < count) {
    // Few letters: many pieces have several splits.
    const bool short_ones = pieces.size() < 2000;
    const std::size_t most = short_ones ? pieces.size() - 256 : pieces.size();
    const std::size_t from = short_ones ? 256 : 0;
    const std::string piece = pieces[from + random() % most] + pieces[from + random() % most];
    if (piece.size() < 24) add(piece);
  }
  return ranks;
}

std::string list_of(const Ranks& ranks) {
  std::vector<std::string> lines(ranks.size());
  for (const auto& [piece, rank] : ranks) {
    lines[static_cast<std::size_t>(rank)] = base64(piece) + " " + std::to_string(rank) + "\n";
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

// Of one word; quadratic, as the published loop.
std::vector<std::int64_t> plainly(const Ranks& ranks, const std::string& word) {
  if (ranks.contains(word)) return {ranks.at(word)};
  std::vector<std::string> parts;
  for (const char byte : word) parts.emplace_back(1, byte);
  while (true) {
    std::optional<std::int64_t> best;
    std::size_t at = 0;
    for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
      const auto found = ranks.find(parts[k] + parts[k + 1]);
      if (found == ranks.end() || (best && found->second >= *best)) continue;
      best = found->second;
      at = k;
    }
    if (!best) break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  std::vector<std::int64_t> ids;
  for (const std::string& part : parts) ids.push_back(ranks.at(part));
  return ids;
}

TEST(TiktokenFile, JoinsAsTheRuleSays) {
  const Ranks ranks = random_ranks(50256);
  const TemporaryFolder folder;
  folder.write("r50k_base.tiktoken", list_of(ranks));
  const auto tokenizer = load_tokenizer(folder / "r50k_base.tiktoken");
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocabulary_size(), 50257);
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::string word;
    const std::size_t size = 1 + random() % 60;
    while (word.size() < size) word += "abcd"[random() % 4];
    EXPECT_EQ(tokenizer->tokenize(word).ids, plainly(ranks, word)) << word;
  }
  // GPT-2's splits: a blank belongs to the word behind it; letters of several bytes are pieces of bytes.
  std::vector<std::int64_t> expected = plainly(ranks, "ab");
  for (const std::string word : {" cab", "\xC3\xA9", "<|endoftext|>"}) {
    const std::vector<std::int64_t> ids = word[0] == '<' ? std::vector<std::int64_t>{50256} : plainly(ranks, word);
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  EXPECT_EQ(tokenizer->tokenize("ab cab\xC3\xA9<|endoftext|>").ids, expected);
}

TEST(TiktokenFile, WhatIsNoneIsRefused) {
  const auto refused = [](const std::string& text, const std::string& part) {
    try {
      read_tiktoken_file(text, "x.tiktoken", false);
      ADD_FAILURE() << "read: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("IQ== 0\nIg== 1\n", "a list of tiktoken of 2 pieces");
  refused("IQ== 0\nIg==\n", "line 2");
  refused("IQ== 0\nI*== 1\n", "line 2");
  refused("IQ== 0\nIg== -1\n", "line 2");
  refused("IQ== 0\nIQ== 1\n", "stands before");
  refused("IQ== 0\nIg== 0\n", "stands before");
  Ranks ranks = random_ranks(50256);
  std::string text = list_of(ranks);
  const std::string bang = base64("!");
  text.replace(text.find(bang + " "), bang.size(), base64("!!!!!"));
  refused(text, "has no piece of the byte 33");
}

}  // namespace
}  // namespace headscope

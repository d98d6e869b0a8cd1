#include "core/heads/look_sentence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/heads/one_head.h"

namespace headscope {
namespace {

using Tokens = std::vector<std::string>;
const Tokens kText = {"a", "green", "book", "the", "green"};

TEST(LookSentence, TheFirstFactThatHoldsIsFound) {
  EXPECT_EQ(look_fact(kText, 4, 4), LookFact::itself);
  EXPECT_EQ(look_fact(kText, 4, 2), LookFact::after_same) << "book stood after green";
  EXPECT_EQ(look_fact(kText, 4, 3), LookFact::before);
  EXPECT_EQ(look_fact(kText, 4, 0), LookFact::first);
  EXPECT_EQ(look_fact(kText, 4, 1), LookFact::none);
  EXPECT_EQ(look_fact(kText, 1, 0), LookFact::before) << "it is the first one, too";
  EXPECT_EQ(look_fact(kText, 1, 2), LookFact::none) << "the token before it is this green itself";
}

TEST(LookSentence, PlacesThatAreNotThereHaveNoFact) {
  EXPECT_EQ(look_fact(kText, 5, 0), LookFact::none);
  EXPECT_EQ(look_fact(kText, 0, -1), LookFact::none);
  EXPECT_EQ(look_fact({}, 0, 0), LookFact::none);
}

// A head over kText with one weight.
std::string said(std::int64_t query, std::int64_t key, double weight) {
  Trace trace = head_of(5, 5, [&](std::int64_t i, std::int64_t j) { return i == query && j == key ? weight : 0; });
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->tokens = inputs->key_tokens = kText;
  trace.inputs = inputs;
  return look_sentence(trace, 0, 0, query, key);
}

TEST(LookSentence, SaysWhereHowMuchAndTheFact) {
  EXPECT_EQ(said(4, 2, 0.7053), "green looks at book with 71 %; book stood right after the earlier green.");
  EXPECT_EQ(said(4, 4, 1), "green looks at itself with 100 %.");
  EXPECT_EQ(said(4, 3, 0.004), "green looks at the with less than 1 %; that is the token before it.");
  EXPECT_EQ(said(3, 0, 0), "the looks at a with 0 %; that is the first token.");
  EXPECT_EQ(said(3, 1, NAN), "the looks at green with a weight that is no finite number.");
}

TEST(LookSentence, ItsWordsCarryTheirPlaces) {
  Trace trace = head_of(5, 5, [](std::int64_t i, std::int64_t j) { return i == 4 && j == 2 ? 0.7 : 0; });
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->tokens = inputs->key_tokens = kText;
  trace.inputs = inputs;
  using Role = LookPiece::Role;
  std::vector<std::pair<Role, std::int64_t>> named;
  std::string whole;
  for (const LookPiece& piece : look_pieces(trace, 0, 0, 4, 2)) {
    whole += piece.text;
    if (piece.role != Role::words) named.emplace_back(piece.role, piece.at);
  }
  EXPECT_EQ(whole, look_sentence(trace, 0, 0, 4, 2));
  EXPECT_EQ(named, (std::vector<std::pair<Role, std::int64_t>>{
                       {Role::query, 4}, {Role::key, 2}, {Role::share, -1}, {Role::key, 2}, {Role::earlier, 1}}));
  EXPECT_TRUE(look_pieces(trace, 0, 0, 5, 2).empty());
}

TEST(LookSentence, ATokenThatIsAByteSaysOfWhichCharacter) {
  Trace trace = head_of(4, 4, [](std::int64_t i, std::int64_t j) { return i == 2 && j == 1 ? 1 : 0; });
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->tokens = inputs->key_tokens = {"Ni", "<0xC3>", "<0xB1>", "o"};
  trace.inputs = inputs;
  EXPECT_TRUE(
      look_sentence(trace, 0, 0, 2, 1).starts_with("byte 2 of 2 of \u00f1 looks at byte 1 of 2 of \u00f1 with "));
  EXPECT_TRUE(look_pieces(trace, 0, 0, 2, 1).front().is_said);
  EXPECT_FALSE(look_pieces(trace, 0, 0, 3, 0).front().is_said);
}

TEST(LookSentence, TwoTextsHaveNoFactsOfOne) {
  const Trace trace = head_of(3, 3, [](std::int64_t, std::int64_t) { return 0.25; });
  EXPECT_EQ(look_sentence(trace, 0, 0, 1, 0), "q1 looks at k0 with 25 %.");
  const Trace longer = head_of(2, 400, [](std::int64_t, std::int64_t) { return 0.25; });
  EXPECT_EQ(look_sentence(longer, 0, 0, 1, 399), "q1 looks at k399 with 25 %.") << "no key is a token of the queries";
}

TEST(LookSentence, WhatIsNotThereIsNotSaid) {
  const Trace trace = head_of(2, 2, [](std::int64_t, std::int64_t) { return 0.5; });
  EXPECT_EQ(look_sentence(trace, 0, 1, 0, 0), "");
  EXPECT_EQ(look_sentence(trace, 0, 0, 2, 0), "");
  EXPECT_EQ(look_sentence(Trace(), 0, 0, 0, 0), "");
}

}  // namespace
}  // namespace headscope

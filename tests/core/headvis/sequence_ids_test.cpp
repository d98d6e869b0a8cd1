// Tokens of HeadVis's folder as ids of a tokenizer.
#include "core/headvis/sequence_ids.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/checkpoint.h"

namespace headscope {
namespace {

using Texts = std::vector<std::string>;

TEST(SequenceIds, TokensAsTheTokenizerShowsThem) {
  for (const char* demo : {"demo:stories", "demo:pronouns"}) {
    const auto tokenizer = Checkpoint::open(demo)->tokenizer();
    const std::string text = "the cat sat because it was tired";
    const std::vector<std::int64_t> ids = tokenizer->tokenize(text).ids;
    Texts shown;
    for (const std::int64_t id : ids) shown.push_back(tokenizer->piece_of(id));
    EXPECT_EQ(sequence_ids(*tokenizer, shown, text).ids, ids) << demo;
  }
}

// As HeadVis's own pipeline writes them: each token decoded alone, its blank before it.
TEST(SequenceIds, TokensThatWereDecodedOneByOne) {
  const auto tokenizer = Checkpoint::open("demo:stories")->tokenizer();
  const std::vector<std::int64_t> ids = tokenizer->tokenize("Once there was a dog, and the dog ran.").ids;
  Texts decoded;
  std::string text;
  for (const std::int64_t id : ids) {
    decoded.push_back(tokenizer->decode(std::vector{id}));
    text += decoded.back();
  }
  const SequenceIds found = sequence_ids(*tokenizer, decoded, text);
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.ids, ids);
}

TEST(SequenceIds, ATokenOfAnotherVocabularyIsNamed) {
  const auto tokenizer = Checkpoint::open("demo:pronouns")->tokenizer();
  const SequenceIds found = sequence_ids(*tokenizer, {"the", " zyzzyva", "cat"}, "the zyzzyva cat");
  EXPECT_TRUE(found.ids.empty());
  EXPECT_EQ(found.problem, "its token 1, ' zyzzyva', is none of the vocabulary");
}

}  // namespace
}  // namespace headscope

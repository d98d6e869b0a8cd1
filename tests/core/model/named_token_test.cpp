// Tokens as somebody types them: by id, by text with and without a blank, by the vocabulary's spelling.
#include "core/model/named_token.h"

#include "core/base/error.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

class NamedToken : public CheckpointTest {
 protected:
  // A GPT-2 with a byte-level vocabulary of ten tokens.
  std::shared_ptr<const Checkpoint> gpt2() const {
    nlohmann::json config = gpt2_config();
    config["vocab_size"] = 10;
    std::vector<FileTensor> tensors = gpt2_tensors();
    tensors[0].shape = {10, 4};
    write_model(config, tensors);
    write("vocab.json",
          R"({"a": 0, "b": 1, "Ġ": 2, "Ġa": 3, "Ġab": 4, "c": 5, "7": 6, ",": 7, "aa": 8, "<|endoftext|>": 9})");
    write("merges.txt", "#version: 0.2\nĠ a\nĠa b\na a\n");
    return open();
  }
  static std::int64_t id_of(const Checkpoint& checkpoint, const std::string& text) {
    return named_token(checkpoint, "token", text);
  }
};

TEST_F(NamedToken, IsTheOneTokenOfTheTextAsItStands) {
  const auto model = gpt2();
  EXPECT_EQ(id_of(*model, "a"), 0);
  EXPECT_EQ(id_of(*model, " a"), 3);
  EXPECT_EQ(id_of(*model, "aa"), 8);
  EXPECT_EQ(id_of(*model, ","), 7);
  EXPECT_EQ(token_piece(*model, 3), " a");
}

TEST_F(NamedToken, IsAnIdWhereItIsDigits) {
  const auto model = gpt2();
  EXPECT_EQ(id_of(*model, "7"), 7) << "the id, not the token of that text";
  EXPECT_EQ(id_of(*model, "007"), 7);
  EXPECT_EQ(id_of(*model, "6"), 6);
  expect_refusal<UsageError>([&] { id_of(*model, "10"); },
                             {"--token: 10 is not in the vocabulary of ", "expected ids from 0 to 9"});
  expect_refusal<UsageError>([&] { id_of(*model, "99999999999999999999999"); }, {"is not in the vocabulary of "});
}

TEST_F(NamedToken, IsSpelledAsTheVocabularyDoesOrStandsBehindABlank) {
  const auto model = gpt2();
  EXPECT_EQ(id_of(*model, "Ġa"), 3);
  EXPECT_EQ(id_of(*model, "<|endoftext|>"), 9);
  EXPECT_EQ(id_of(*model, " ab"), 4);
  EXPECT_EQ(id_of(*model, "ab"), 4) << "two tokens as it stands, one behind a blank";
}

TEST_F(NamedToken, SeveralTokensAndNoneAreRefused) {
  const auto model = gpt2();
  expect_refusal<UsageError>([&] { id_of(*model, "abc"); },
                             {"--token: 'abc' is 3 tokens of ", "'a', 'b', 'c'", "expected one token", "tokenize"});
  expect_refusal<UsageError>([&] { id_of(*model, ""); }, {"--token: found ''"});
  const auto words = Checkpoint::open("demo:induction");
  EXPECT_EQ(id_of(*words, "cat"), 9);
  EXPECT_EQ(id_of(*words, "[UNK]"), 1) << "by name the token of what is unknown is one";
  expect_refusal<UsageError>([&] { id_of(*words, "xyzzy"); }, {"--token: 'xyzzy' is no token of demo:induction"});
  expect_refusal<UsageError>([&] { id_of(*words, "cat box"); }, {"'cat box' is 2 tokens of demo:induction"});
}

TEST_F(NamedToken, WithoutATokenizerAnIdIsNeeded) {
  write_model(gpt2_config(), gpt2_tensors());
  const auto model = open();
  EXPECT_EQ(id_of(*model, "3"), 3);
  EXPECT_EQ(token_piece(*model, 3), "3");
  expect_refusal<UsageError>([&] { id_of(*model, "a"); }, {"has no tokenizer", "expected ids of its vocabulary"});
}

}  // namespace
}  // namespace headscope

#include "core/corpus/model_identity.h"

#include <gtest/gtest.h>

#include "core/model/checkpoint.h"
#include "core/model/weights_sha256.h"

namespace headscope {
namespace {

TEST(ModelIdentity, NamesAFolderWithoutWhereItLies) {
  EXPECT_EQ(model_name("demo:pronouns"), "demo:pronouns");
  EXPECT_EQ(model_name("/a/b/gpt2"), "gpt2");
  EXPECT_EQ(model_name("/a/b/gpt2/"), "gpt2");
  EXPECT_EQ(model_name("/a/b/gpt2/."), "gpt2");
  EXPECT_EQ(model_name("/a/model.gguf"), "model.gguf");
}

TEST(ModelIdentity, TellsModelsAndTokenizersApart) {
  const auto one = Checkpoint::open("demo:pronouns"), other = Checkpoint::open("demo:induction");
  EXPECT_EQ(sha256_of(*one, {}), sha256_of(*Checkpoint::open("demo:pronouns"), {}));
  EXPECT_NE(sha256_of(*one, {}), sha256_of(*other, {}));
  EXPECT_EQ(sha256_of(*one, {}).size(), 64u);
  EXPECT_EQ(tokenizer_identity(*one->tokenizer()), tokenizer_identity(*Checkpoint::open("demo:pronouns")->tokenizer()));
  EXPECT_NE(tokenizer_identity(*one->tokenizer()), tokenizer_identity(*other->tokenizer()));
}

}  // namespace
}  // namespace headscope

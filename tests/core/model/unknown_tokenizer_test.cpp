// A GGUF model whose tokenizer is of a kind that is not known here: it opens, and takes ids.
#include "core/model/checkpoint.h"
#include "core/model/named_token.h"
#include "tests/core/model/gguf_runs.h"

namespace headscope {
namespace {

class UnknownTokenizers : public GgufModels {
 protected:
  // A Llama with a vocabulary that `pre` splits.
  void write_with(const std::string& pre) const {
    const TwoSpellings model = golden_model(kGoldenModels + "llama", "llama");
    test::GgufWriter file = gguf_metadata(model);
    file.text("tokenizer.ggml.model", "gpt2").texts("tokenizer.ggml.tokens", {"a", "b", "ab"});
    file.texts("tokenizer.ggml.merges", {"a b"});
    if (!pre.empty()) file.text("tokenizer.ggml.pre", pre);
    for (const auto& [name, tensor] : model.tensors) {
      const std::string gguf = gguf_name(model, name);
      const StoredTensor stored = converted(model, gguf, tensor);
      file.tensor(gguf, stored.shape, stored.type, stored.bytes);
    }
    write_text("model.gguf", file.bytes());
  }

  Request asked(const std::string& phrase, std::vector<std::int64_t> ids) const {
    Request request;
    request.model = gguf();
    request.phrase = phrase;
    request.token_ids = std::move(ids);
    return request;
  }
};

TEST_F(UnknownTokenizers, IdsAreTaken) {
  for (const std::string pre : {"default", "deepseek-v9", ""}) {
    write_with(pre);
    Engine engine(EngineOptions{});
    const auto trace = engine.run(asked("", {1, 2, 0}), CancelToken());
    EXPECT_EQ(trace->inputs->tokens, (std::vector<std::string>{"1", "2", "0"})) << pre;
    const std::string why = trace->inputs->checkpoint->unknown_tokenizer();
    EXPECT_NE(why.find("tokenizer.ggml.pre"), why.npos) << why;
    EXPECT_NE(why.find(gguf()), why.npos) << why;
    EXPECT_EQ(named_token(*trace->inputs->checkpoint, "token", "7"), 7);
  }
}

TEST_F(UnknownTokenizers, APhraseIsRefusedWithTheReason) {
  write_with("default");
  Engine engine(EngineOptions{});
  expect_refusal<UsageError>([&] { engine.run(asked("ab", {}), CancelToken()); },
                             {"phrase", "has no tokenizer that can be used",
                              "the key \"tokenizer.ggml.pre\" is \"default\", a pre-tokenizer that is not known here",
                              "expected one of gpt-2", "expected --token-ids"});
  const auto checkpoint = Checkpoint::open(gguf());
  EXPECT_EQ(checkpoint->tokenizer(), nullptr);
  expect_refusal<UsageError>([&] { named_token(*checkpoint, "token", "ab"); },
                             {"found 'ab', but", "has no tokenizer that can be used"});
}

TEST_F(UnknownTokenizers, KnownOnesAndNoneAreAsBefore) {
  write_with("gpt-2");
  Engine engine(EngineOptions{});
  EXPECT_EQ(engine.run(asked("", {2}), CancelToken())->inputs->tokens, std::vector<std::string>{"ab"});
  write_text("model.gguf", gguf_bytes(golden_model(kGoldenModels + "llama", "llama")));
  const auto checkpoint = Checkpoint::open(gguf());
  EXPECT_EQ(checkpoint->tokenizer(), nullptr);
  EXPECT_EQ(checkpoint->unknown_tokenizer(), "");
  EXPECT_EQ(checkpoint->no_tokenizer_sentence(), gguf() + " has no tokenizer");
}

}  // namespace
}  // namespace headscope

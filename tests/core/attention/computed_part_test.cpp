// What a result says of how much of it was computed.
#include "core/attention/computed_part.h"

#include <gtest/gtest.h>

#include "core/attention/engine.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

TEST(ComputedPart, NamesTheStageFromWhichNumbersAreNew) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  Request request;
  request.phrase = "one two three four";
  request.d_model = 16;
  request.heads = 4;
  request.threads = 1;
  request.backend = BackendChoice::cpu;
  const auto from = [&](const char* option, const char* value) {
    find_request_option(option)->set(request, value);
    return computed_from(*engine.run(request, CancelToken()));
  };
  EXPECT_EQ(from("seed", "1"), std::nullopt) << "the first one";
  EXPECT_EQ(from("mask", "causal"), StageId::masked_scores);
  EXPECT_EQ(from("ablate", "0.2"), StageId::context);
  EXPECT_EQ(from("scale", "0.5"), StageId::scores);
  EXPECT_EQ(from("merge", "direct"), StageId::concat);
  EXPECT_EQ(from("seed", "2"), std::nullopt) << "all of it";
  EXPECT_EQ(from("seed", "2"), std::nullopt) << "nothing had to be computed";
}

TEST(ComputedPart, SaysHowManyTokensAreNew) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  Request request;
  request.d_model = 16;
  request.heads = 4;
  request.threads = 1;
  request.backend = BackendChoice::cpu;
  const auto words = [&](const char* option, const char* value) {
    find_request_option(option)->set(request, value);
    return computed_words(*engine.run(request, CancelToken()));
  };
  EXPECT_EQ(words("phrase", "a b c d"), "") << "the first one";
  EXPECT_EQ(words("phrase", "a b c d e"), "Q, K, V of 1 of 5 tokens new") << "every query sees the new key";
  EXPECT_EQ(words("phrase", "a b c"), "Q, K, V kept");
  EXPECT_EQ(words("phrase", "z b c"), "") << "no position at the front is the same";
  EXPECT_EQ(words("mask", "causal"), "from masked_scores on");
  EXPECT_EQ(words("phrase", "z b c d e"), "2 of 5 tokens new");
  EXPECT_EQ(words("phrase", "z b c x e"), "2 of 5 tokens new") << "what follows a changed token is computed, too";
  EXPECT_EQ(words("phrase", "z b c x"), "no token new");
  EXPECT_EQ(words("phrase", "z b c x"), "") << "nothing had to be computed";
  EXPECT_EQ(words("seed", "2"), "") << "all of it";
}

TEST(ComputedPart, WithoutAResultBeforeAllOfItIsNew) {
  Request request;
  request.phrase = "a b c";
  find_request_option("mask")->set(request, "causal");
  Engine engine;
  EXPECT_EQ(computed_words(*engine.run(request, CancelToken())), "");
  request.phrase = "a b c d";
  EXPECT_EQ(computed_words(*engine.run(request, CancelToken())), "") << "this engine keeps nothing";
}

}  // namespace
}  // namespace headscope

#include "core/generate/generation_problem.h"

#include "tests/core/generate/generating.h"

namespace headscope {
namespace {

void expect_problem(const Options& options, const std::string& option, const std::string& part) {
  const Request request = request_with(options);
  const std::optional<Problem> problem = generation_problem(request);
  ASSERT_TRUE(problem.has_value()) << part;
  EXPECT_EQ(problem->option, option);
  EXPECT_NE(one_line(*problem).find(part), std::string::npos) << one_line(*problem);
}

TEST(GenerationProblem, WithoutAModelThatHasAVocabulary) {
  expect_problem({{"model", "seeded"}, {"phrase", "a b"}}, "model", "seeded weights have no vocabulary");
  expect_problem({{"model", "seeded"}, {"input", "x.npy"}}, "input", "x.npy holds no text");
  expect_problem({{"weights", "w.safetensors"}, {"phrase", "a"}}, "weights", "w.safetensors");
  expect_problem({{"query", "q.npy"}, {"key", "k.npy"}, {"value", "v.npy"}}, "query", "q.npy");
  expect_problem({{"model", "c.safetensors"}}, "model", "a capture");
}

TEST(GenerationProblem, WhatDoesNotGrow) {
  const Options demo = {{"model", "demo:induction"}, {"phrase", "cat"}};
  const auto with = [&](const std::string& name, const std::string& value) {
    Options options = demo;
    options.emplace_back(name, value);
    return options;
  };
  EXPECT_EQ(generation_problem(request_with(demo)), std::nullopt);
  EXPECT_EQ(generation_problem(request_with(with("batch", "1"))), std::nullopt);
  EXPECT_EQ(generation_problem(request_with(with("mask", "causal,window:2,prefix:1"))), std::nullopt);
  expect_problem(with("batch", "3"), "batch", "3 texts");
  expect_problem(with("second-phrase", "b"), "second-phrase", "a pair");
  expect_problem(with("mask", "causal,m.npy"), "mask", "m.npy does not grow");
  Options dropped = with("dropout", "0.1");
  EXPECT_EQ(generation_problem(request_with(dropped)), std::nullopt) << "drawn by place";
  dropped.emplace_back("dropout-mask", "d.npy");
  expect_problem(dropped, "dropout-mask", "d.npy does not grow");
}

std::string problem_of(const Request& request, std::int64_t tokens) {
  Engine engine(generating(false));
  const auto inputs = engine.read(request, CancelToken());
  const std::optional<Problem> problem = generation_problem(request, *inputs, tokens);
  return problem ? one_line(*problem) : "";
}

TEST(GenerationProblem, ModelsThatDoNotPredictTheNextToken) {
  for (const char* model : {"bert", "attention-only-encoder"}) {
    EXPECT_NE(problem_of(golden_request(model), 1).find("predicts masked tokens"), std::string::npos) << model;
  }
  const Request pronouns = request_with({{"model", "demo:pronouns"}, {"phrase", "the animal"}});
  EXPECT_NE(problem_of(pronouns, 1).find("--model: demo:pronouns predicts masked tokens"), std::string::npos);
  EXPECT_NE(problem_of(pronouns, 1).find("demo:induction"), std::string::npos) << "says what would do";
}

TEST(GenerationProblem, MoreTokensThanPositions) {
  EXPECT_EQ(problem_of(golden_request("gpt2", "1,2,3"), 7), "");
  const std::string eight = problem_of(golden_request("gpt2", "1,2,3"), 8);
  EXPECT_NE(eight.find("--tokens: 8 after a prompt of 3 are more than the 10 positions"), std::string::npos) << eight;
  EXPECT_NE(eight.find("At most 7 fit."), std::string::npos);
  EXPECT_NE(problem_of(golden_request("gpt2", "1,2,3,4,5,6,7,8,9,10"), 1).find("None fits."), std::string::npos);
  EXPECT_EQ(problem_of(golden_request("bloom"), 1000000), "") << "ALiBi has no last position";
}

}  // namespace
}  // namespace headscope

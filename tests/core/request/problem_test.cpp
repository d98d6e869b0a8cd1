// Every request that cannot run says why, and every suggestion runs.
#include "core/request/problem.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

struct Case {
  std::function<void(Request&)> edit;
  const char* option;
  const char* says;  // found in the one line
};

constexpr double kProblemInfinity = std::numeric_limits<double>::infinity();

// Texts, files and models.
std::vector<Case> source_cases() {
  return {
      {[](Request& r) { r.phrase = ""; }, "phrase", "holds no token"},
      {[](Request& r) { r.phrase = " \t\xc2\xa0\xe3\x80\x80"; }, "phrase", "holds no token"},
      {[](Request& r) { r.phrase = "a \xff"; }, "phrase", "0xFF"},
      {[](Request& r) { r.key_phrase = ""; }, "key-phrase", "holds no token"},
      {[](Request& r) { r.key_phrase = "\xc3"; }, "key-phrase", "UTF-8"},
      {[](Request& r) { r.second_phrase = "b"; }, "second-phrase", "reads pairs"},
      {[](Request& r) { r.phrase = "", r.input = "x.npy", r.second_phrase = "b"; }, "second-phrase", "reads pairs"},
      {[](Request& r) { r.model = "folder", r.second_phrase = ""; }, "second-phrase", "holds no token"},
      {[](Request& r) { r.model = "folder", r.second_phrase = "\xff"; }, "second-phrase", "UTF-8"},
      {[](Request& r) { r.model = "folder", r.second_phrase = r.key_phrase = "b"; }, "key-phrase", "exclude"},
      {[](Request& r) { r.model = "folder", r.phrase = "", r.token_ids = {1}, r.second_phrase = "b"; }, "second-phrase",
       "exclude"},
      {[](Request& r) { r.input = "x.npy"; }, "phrase", "input"},
      {[](Request& r) {
         r.token_ids = {1, 2};
       },
       "token-ids", "phrase"},
      {[](Request& r) {
         r.phrase = "", r.token_ids = {1, 2};
       },
       "token-ids", "vocabulary"},
      {[](Request& r) { r.query = r.key = r.value = "a.npy"; }, "phrase", "query"},
      {[](Request& r) { r.phrase = "", r.query = r.key = "a.npy"; }, "value", "missing"},
      {[](Request& r) { r.phrase = "", r.value = "a.npy"; }, "query", "missing"},
      {[](Request& r) { r.phrase = "", r.query = r.key = r.value = "a.npy", r.input = "b.npy"; }, "input", "query"},
      {[](Request& r) { r.phrase = "", r.query = r.key = r.value = "a.npy", r.weights = "b"; }, "weights", "query"},
      {[](Request& r) { r.phrase = "", r.query = r.key = r.value = "a.npy", r.key_phrase = "b"; }, "key-phrase", "key"},
      {[](Request& r) { r.phrase = "", r.query = r.key = r.value = "a.npy", r.key_input = "b"; }, "key-input", "key"},
      {[](Request& r) { r.phrase = "", r.query = r.key = r.value = "a.npy", r.model = "demo:x"; }, "model", "query"},
      {[](Request& r) { r.phrase = "", r.query = r.key = r.value = "a.npy", r.token_ids = {1}; }, "token-ids", "query"},
      {[](Request& r) { r.phrase = "", r.input = "x.npy", r.key_phrase = "b"; }, "key-phrase", "input"},
      {[](Request& r) { r.key_phrase = "b", r.key_input = "x.npy"; }, "key-phrase", "key-input"},
      {[](Request& r) { r.key_input = "x.npy"; }, "key-input", "phrase"},
      {[](Request& r) { r.phrase = "", r.input = r.value_input = "x.npy"; }, "value-input", "key-input"},
      {[](Request& r) { r.model = ""; }, "model", "no name"},
      {[](Request& r) { r.model = "demo:x", r.key_phrase = "a"; }, "key-phrase", "exclude"},
      {[](Request& r) { r.model = "folder", r.phrase = "", r.input = "x.npy"; }, "input", "checkpoint"},
      {[](Request& r) { r.model = "folder", r.token_ids = {1}; }, "token-ids", "exclude"},
      {[](Request& r) { r.model = "folder", r.phrase = " "; }, "phrase", "no token"},
      {[](Request& r) { r.model = "folder", r.init_gain = 2; }, "init-gain", "seeded"},
      {[](Request& r) { r.model = "folder", r.position = Position::sinusoidal; }, "position", "of its own"},
      {[](Request& r) { r.model = "folder", r.embedding = Embedding::sequence; }, "embedding", "of its own"},
      {[](Request& r) { r.model = "demo:pronouns", r.weights = "w.safetensors"; }, "model", "weights"},
      {[](Request& r) { r.layer = 1; }, "layer", "no layer 1"},
      {[](Request& r) { r.weights = "w.safetensors", r.init_gain = 2; }, "init-gain", "seeded"},
  };
}

std::vector<Case> size_cases() {
  return {
      {[](Request& r) { r.heads = 7; }, "heads", "7 does not divide 512"},
      {[](Request& r) { r.heads = 600; }, "heads", "600 does not divide 512"},
      {[](Request& r) { r.d_model = 6; }, "d-model", "8 does not divide 6"},
      {[](Request& r) { r.heads = 3, r.d_model = 100, r.weights = "w"; }, "heads", "3 does not divide 100"},
      {[](Request& r) { r.kv_heads = 3; }, "kv-heads", "3 does not divide the 8 heads"},
      {[](Request& r) { r.kv_heads = 16; }, "kv-heads", "16 does not divide"},
      {[](Request& r) { r.heads = 0; }, "heads", "0 is not a possible number of heads"},
      {[](Request& r) { r.heads = -4; }, "heads", "-4 is not"},
      {[](Request& r) { r.kv_heads = 0; }, "kv-heads", "0 is not"},
      {[](Request& r) { r.d_model = 0; }, "d-model", "0 is not"},
      {[](Request& r) { r.d_model = 65537; }, "d-model", "65536"},
      {[](Request& r) { r.input_dim = 0; }, "input-dim", "0 is not"},
      {[](Request& r) { r.input_dim = std::numeric_limits<std::int64_t>::max(); }, "input-dim", "65536"},
      {[](Request& r) { r.batch = 0; }, "batch", "0 is not a possible number of sequences"},
      {[](Request& r) { r.batch = std::numeric_limits<std::int64_t>::min(); }, "batch", "is not"},
      {[](Request& r) { r.batch = 65536; }, "batch", "GiB"},
      {[](Request& r) { r.d_model = 65536; }, "d-model", "GiB"},
      {[](Request& r) { r.input_dim = 65536, r.d_model = 32768; }, "input-dim", "GiB"},
      {[](Request& r) { r.init_gain = kProblemInfinity; }, "init-gain", "finite"},
      {[](Request& r) { r.init_gain = NAN; }, "init-gain", "finite"},
      {[](Request& r) { r.threads = -1; }, "threads", "-1"},
  };
}

// Masks, scores and heads.
std::vector<Case> score_cases() {
  return {
      {[](Request& r) {
         r.mask = {{MaskTerm::Kind::padding, -1, ""}};
       },
       "mask", "padding:-1"},
      {[](Request& r) {
         r.mask = {{MaskTerm::Kind::window, -2, ""}};
       },
       "mask", "window:-2"},
      {[](Request& r) {
         r.mask = {{MaskTerm::Kind::prefix, -3, ""}};
       },
       "mask", "prefix:-3"},
      {[](Request& r) {
         r.mask = {{MaskTerm::Kind::file, 0, ""}};
       },
       "mask", "no name"},
      {[](Request& r) { r.mask_fill = NAN; }, "mask-fill", "nan"},
      {[](Request& r) { r.mask_fill = kProblemInfinity; }, "mask-fill", "inf"},
      {[](Request& r) { r.mask_fill = 1e39; }, "mask-fill", "float32"},
      {[](Request& r) { r.mask_fill = -1e39; }, "mask-fill", "float32"},
      {[](Request& r) { r.softcap = 5, r.mask_order = MaskOrder::before_scale; }, "softcap", "before-scale"},
      {[](Request& r) { r.softcap = 0; }, "softcap", "positive"},
      {[](Request& r) { r.softcap = -1; }, "softcap", "positive"},
      {[](Request& r) { r.softcap = NAN; }, "softcap", "positive"},
      {[](Request& r) { r.softcap = kProblemInfinity; }, "softcap", "positive"},
      {[](Request& r) { r.scale = NAN; }, "scale", "finite"},
      {[](Request& r) { r.scale = -kProblemInfinity; }, "scale", "finite"},
      {[](Request& r) { r.top_p = 1.5; }, "top-p", "share"},
      {[](Request& r) { r.top_p = NAN; }, "top-p", "share"},
      {[](Request& r) { r.dropout = 1.01; }, "dropout", "probability"},
      {[](Request& r) { r.dropout = -0.1; }, "dropout", "probability"},
      {[](Request& r) { r.dropout = NAN; }, "dropout", "probability"},
      {[](Request& r) { r.variants = {Variant::no_scale}, r.scale = 2; }, "scale", "no-scale"},
      {[](Request& r) { r.variants = {Variant::scale_by_d_model}, r.scale = 2; }, "scale", "scale-by-d-model"},
      {[](Request& r) {
         r.variants = {Variant::no_scale, Variant::scale_by_d_model};
       },
       "variant", "exclude"},
      {[](Request& r) {
         r.variants = {Variant::qkv_blocked_as_per_head, Variant::qkv_per_head_as_blocked};
       },
       "variant", "exclude"},
      {[](Request& r) { r.variants = {Variant::mask_inverted}; }, "variant", "no mask"},
      {[](Request& r) {
         r.ablate = {{1, 0}};
       },
       "ablate", "no layer 1"},
      {[](Request& r) {
         r.ablate = {{0, 8}};
       },
       "ablate", "no head 8"},
      {[](Request& r) {
         r.ablate = {{0, -1}};
       },
       "ablate", "no head -1"},
  };
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> joined = source_cases();
    for (const std::vector<Case>& more : {size_cases(), score_cases()}) {
      joined.insert(joined.end(), more.begin(), more.end());
    }
    return joined;
  }();
  return all;
}

TEST(Problem, TheDefaultsRunOnAPhrase) {
  EXPECT_EQ(find_problem(phrase_request()), std::nullopt);
  Request request;
  request.phrase = "Hola mi nombre es Alex";
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  request.seed = std::numeric_limits<std::uint64_t>::max();
  request.heads = 512;
  request.scale = 0;
  request.dropout = 1;
  request.softcap = 1e-3;
  request.mask_fill = -3.4e38;
  request.layer = 0;
  request.key_phrase = "¿Y tú?";
  EXPECT_EQ(find_problem(request), std::nullopt);
  EXPECT_EQ(find_problem(alone_request()), std::nullopt);
  Request vectors;
  vectors.input = "x.npy";
  vectors.key_input = vectors.value_input = "k.npy";
  vectors.weights = "w.safetensors";
  vectors.variants = {Variant::mask_after_softmax, Variant::key_not_transposed};
  EXPECT_EQ(find_problem(vectors), std::nullopt);
}

TEST(Problem, EveryRequestThatCannotRunNamesItsOptionAndSaysWhy) {
  for (std::size_t i = 0; i < cases().size(); ++i) {
    const Case& expected = cases()[i];
    Request request = phrase_request();
    expected.edit(request);
    const auto problem = find_problem(request);
    ASSERT_TRUE(problem.has_value()) << i << " " << expected.option << " " << expected.says;
    EXPECT_EQ(problem->option, expected.option) << i << " " << one_line(*problem);
    EXPECT_NE(find_request_option(problem->option), nullptr) << problem->option;
    const std::string line = one_line(*problem);
    EXPECT_NE(line.find(expected.says), std::string::npos) << i << " " << line;
    EXPECT_TRUE(line.starts_with("--" + problem->option + ": ")) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_FALSE(problem->title.empty());
    EXPECT_FALSE(problem->detail.empty());
    EXPECT_TRUE(problem->detail.ends_with('.') || problem->detail.ends_with(':')) << line;
  }
}

TEST(Problem, EverySuggestionRemovesTheProblem) {
  std::size_t tried = 0;
  for (const Case& each : cases()) {
    Request request = phrase_request();
    each.edit(request);
    const auto problem = find_problem(request);
    ASSERT_TRUE(problem.has_value());
    for (const Suggestion& suggestion : problem->suggestions) {
      Request changed = request;
      const RequestOption* option = find_request_option(suggestion.option);
      ASSERT_NE(option, nullptr) << suggestion.option;
      ASSERT_NO_THROW(option->set(changed, suggestion.value)) << suggestion.option << " " << suggestion.value;
      const auto left = find_problem(changed);
      EXPECT_TRUE(!left || left->option != problem->option) << one_line(*problem) << " -> " << suggestion.value;
      ++tried;
    }
  }
  EXPECT_GT(tried, 60U);
}

TEST(Problem, AHostileNameStaysOnOneLine) {
  Request request = phrase_request();
  request.model = "a\nb\x1b[31m";
  request.weights = "w.safetensors";
  const std::string line = one_line(*find_problem(request));
  for (char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
}

TEST(Problem, ALongPhraseIsRefusedBeforeAnythingIsDrawnAndSaysHowManyTokensFit) {
  Request request;
  for (int word = 0; word < 20000; ++word) request.phrase += "a ";
  EXPECT_EQ(find_problem(request), std::nullopt) << "weights are computed when read";
  request.variants = {Variant::softmax_over_queries};  // keeps every stage
  const auto problem = find_problem(request);
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->option, "phrase");
  const std::size_t at = problem->detail.find(" tokens fit");
  ASSERT_NE(at, std::string::npos) << problem->detail;
  const int tokens = std::stoi(problem->detail.substr(problem->detail.rfind("; ", at) + 2));
  const auto words = [](int count) {
    Request shorter;
    shorter.variants = {Variant::softmax_over_queries};
    for (int word = 0; word < count; ++word) shorter.phrase += "a ";
    return shorter;
  };
  EXPECT_EQ(find_problem(words(tokens)), std::nullopt) << tokens;
  EXPECT_NE(find_problem(words(tokens + 1)), std::nullopt) << tokens;
}

TEST(Problem, RunRequestThrowsIt) {
  Engine engine;
  Request request = phrase_request();
  request.heads = 7;
  try {
    engine.run(request, CancelToken());
    FAIL() << "it ran";
  } catch (const ProblemError& error) {
    EXPECT_EQ(error.problem(), *find_problem(request));
    EXPECT_EQ(error.what(), one_line(error.problem()));
  }
}

TEST(Problem, WhatHasNoProblemRuns) {
  Engine engine;
  for (const char* mask : {"none", "causal", "padding:3", "padding:99", "window:0", "prefix:2,padding:1"}) {
    for (const auto& [heads, kv_heads] : {std::pair(8, 8), std::pair(8, 2), std::pair(1, 1)}) {
      Request request = phrase_request();
      request.d_model = 16;
      request.input_dim = 9;
      request.batch = 2;
      request.heads = heads;
      request.kv_heads = kv_heads;
      find_request_option("mask")->set(request, mask);
      ASSERT_EQ(find_problem(request), std::nullopt);
      const auto trace = engine.run(request, CancelToken());
      EXPECT_EQ(trace->tensor(StageId::output).shape(), (Shape{2, 5, 16}));
      EXPECT_EQ(trace->backend, "cpu");
    }
  }
}

}  // namespace
}  // namespace headscope

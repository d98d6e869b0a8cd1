// Numbers of heads that are suggested where the wanted one does not divide d_model.
#include <gtest/gtest.h>

#include "core/request/problem.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

TEST(Problem, HeadsThatDoNotDivideAreShownWithEveryDivisor) {
  Request request = phrase_request();
  request.heads = 7;
  const auto problem = find_problem(request);
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->title, "7 does not divide 512");
  EXPECT_EQ(problem->detail, "head_dim would be 73.14. Divisors:");
  std::vector<std::string> labels;
  for (const Suggestion& suggestion : problem->suggestions) labels.push_back(suggestion.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"1", "2", "4", "8", "16", "32", "64", "128", "256", "512",
                                              "keep 7 heads with d_model 511"}));
  EXPECT_EQ(problem->suggestions.back(), (Suggestion{"keep 7 heads with d_model 511", "d-model", "511"}));
  EXPECT_EQ(one_line(*problem),
            "--heads: 7 does not divide 512. head_dim would be 73.14. Divisors: 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, "
            "keep 7 heads with d_model 511.");
}

TEST(Problem, ALongListOfDivisorsStopsAt64) {
  Request request = phrase_request();
  request.d_model = 5040;
  request.heads = 11;
  const auto problem = find_problem(request);
  ASSERT_TRUE(problem.has_value());
  for (const Suggestion& suggestion : problem->suggestions) {
    if (suggestion.option == "heads") {
      EXPECT_LE(std::stoi(suggestion.value), 64);
    }
  }
  EXPECT_LE(problem->suggestions.size(), 40U);
}

TEST(Problem, SuggestedHeadsKeepTheKeyHeads) {
  Request request = phrase_request();
  request.heads = 9;
  request.kv_heads = 4;
  const auto problem = find_problem(request);
  ASSERT_TRUE(problem.has_value());
  EXPECT_FALSE(problem->suggestions.empty());
  for (const Suggestion& suggestion : problem->suggestions) EXPECT_EQ(std::stoi(suggestion.value) % 4, 0);
}

TEST(Problem, DivisorsAreCompleteAndIncreasing) {
  for (std::int64_t n : {1, 2, 7, 12, 64, 65, 512, 768, 65536, 65521}) {
    std::vector<std::int64_t> expected;
    for (std::int64_t d = 1; d <= n; ++d) {
      if (n % d == 0) expected.push_back(d);
    }
    EXPECT_EQ(divisors_of(n), expected) << n;
  }
  EXPECT_EQ(divisors_of(std::numeric_limits<std::int64_t>::max()), std::vector<std::int64_t>{1});
}

}  // namespace
}  // namespace headscope

// A request with an image: what excludes it, and what would run.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

Request of_image() {
  Request request;
  request.model = "folder";
  request.image = "a.png";
  return request;
}

TEST(ImageProblem, AnImageAloneRuns) {
  EXPECT_FALSE(find_problem(of_image()).has_value());
}

TEST(ImageProblem, WhatExcludesItIsNamed) {
  struct Case {
    std::function<void(Request&)> edit;
    const char *option, *says;
  };
  for (const Case& each : std::vector<Case>{
           {[](Request& r) { r.phrase = "a cat"; }, "phrase", "phrase and image exclude each other"},
           {[](Request& r) { r.token_ids = {1}; }, "token-ids", "token-ids and image exclude each other"},
           {[](Request& r) { r.second_phrase = "b"; }, "second-phrase", "second-phrase and image exclude each other"},
           {[](Request& r) { r.input = "x.npy"; }, "input", "input and a checkpoint exclude each other"},
           {[](Request& r) { r.model = "seeded"; }, "image", "needs a model that reads images"},
           {[](Request& r) { r.model = "c.safetensors"; }, "image", "needs a model that reads images"},
           {[](Request& r) { r.query = r.key = r.value = "a.npy", r.model = "seeded"; }, "image", "reads images"},
           {[](Request& r) { r.weights = "w.safetensors", r.model = "seeded"; }, "image", "reads images"},
       }) {
    Request request = of_image();
    each.edit(request);
    const std::optional<Problem> problem = find_problem(request);
    ASSERT_TRUE(problem.has_value()) << each.says;
    EXPECT_EQ(std::string(problem->option), each.option);
    EXPECT_NE(problem->title.find(each.says), std::string::npos) << problem->title;
    for (const auto& suggestion : problem->suggestions) {
      Request changed = request;
      find_request_option(suggestion.option)->set(changed, suggestion.value);
      EXPECT_FALSE(find_problem(changed).has_value()) << suggestion.label;
    }
  }
}

}  // namespace
}  // namespace headscope

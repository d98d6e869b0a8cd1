// A request with the features of a sound: what excludes it, and what would run.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

Request of_features() {
  Request request;
  request.model = "folder";
  request.features = "a.npy";
  return request;
}

TEST(FeaturesProblem, FeaturesRunAloneAndWithADecodersText) {
  Request request = of_features();
  EXPECT_FALSE(find_problem(request).has_value());
  request.decoder_ids = {1, 2};
  request.attention = AttentionList::decoder;
  EXPECT_FALSE(find_problem(request).has_value());
  request.decoder_ids.clear();
  EXPECT_TRUE(find_problem(request).has_value()) << "the decoder's attention needs a text";
}

TEST(FeaturesProblem, WhatExcludesThemIsNamed) {
  struct Case {
    std::function<void(Request&)> edit;
    const char *option, *says;
  };
  for (const Case& each : std::vector<Case>{
           {[](Request& r) { r.phrase = "a cat"; }, "phrase", "phrase and features exclude each other"},
           {[](Request& r) { r.token_ids = {1}; }, "token-ids", "token-ids and features exclude each other"},
           {[](Request& r) { r.second_phrase = "b"; }, "second-phrase",
            "second-phrase and features exclude each other"},
           {[](Request& r) { r.image = "a.png"; }, "image", "image and features exclude each other"},
           {[](Request& r) { r.input = "x.npy"; }, "input", "input and a checkpoint exclude each other"},
           {[](Request& r) { r.model = "seeded"; }, "features", "need a model that reads them"},
           {[](Request& r) { r.model = "c.safetensors"; }, "features", "need a model that reads them"},
           {[](Request& r) { r.weights = "w.safetensors", r.model = "seeded"; }, "features", "reads them"},
       }) {
    Request request = of_features();
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

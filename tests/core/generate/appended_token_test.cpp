// One token more at the end of a text.
#include "core/generate/appended_token.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/base/cancel.h"

namespace headscope {
namespace {

Request request_of(const std::string& phrase) {
  Request request;
  request.model = "demo:induction";
  request.phrase = phrase;
  return request;
}

TEST(AppendedToken, IsAWordOfThePhrase) {
  Engine engine;
  const Request request = request_of("cat box ink");
  const auto inputs = engine.read(request, CancelToken{});
  for (const std::int64_t id : inputs->token_ids) {
    const Request grown = with_appended_token(request, *inputs, id);
    EXPECT_TRUE(grown.token_ids.empty());
    EXPECT_TRUE(grown.phrase.starts_with("cat box ink ")) << grown.phrase;
    std::vector<std::int64_t> ids = inputs->token_ids;
    ids.push_back(id);
    EXPECT_EQ(engine.read(grown, CancelToken{})->token_ids, ids);
  }
}

TEST(AppendedToken, IsAnIdWhereNoWordReadsBack) {
  Engine engine;
  const Request request = request_of("cat box ink");
  const auto inputs = engine.read(request, CancelToken{});
  Request of_ids = request_of("");
  of_ids.token_ids = inputs->token_ids;
  const auto same = engine.read(of_ids, CancelToken{});
  const Request grown = with_appended_token(of_ids, *same, inputs->token_ids[1]);
  EXPECT_TRUE(grown.phrase.empty());
  ASSERT_EQ(grown.token_ids.size(), inputs->token_ids.size() + 1);
  EXPECT_EQ(grown.token_ids.back(), inputs->token_ids[1]);
  EXPECT_EQ(engine.read(grown, CancelToken{})->token_ids, grown.token_ids);
}

}  // namespace
}  // namespace headscope

#include "app/session/former_showing.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/heads/showing.h"

namespace headscope {
namespace {

Showing taken(const std::string& window, Request request = {}) {
  take_former_showing(window, request);
  return showing_of(request);
}

TEST(FormerShowing, BecomesOptionsOfTheRequest) {
  EXPECT_EQ(taken(R"({"layers": {"hide_first": true, "renormalize": true, "merge_words": true}})"),
            (Showing{GroupBy::words, HideTokens::first, true, Weighting::weights, 1}));
  EXPECT_EQ(taken(R"({"layers": {"hide_special": true, "hide_first": true}})"),
            (Showing{.hide_tokens = HideTokens::special}));
  EXPECT_EQ(taken(R"({"layers": {"renormalize": true}})"), Showing{}) << "it did nothing alone";
}

TEST(FormerShowing, ChangesNothingWhereNothingWasSaidOrTheRequestSaysIt) {
  EXPECT_EQ(taken(""), Showing{});
  EXPECT_EQ(taken("{}"), Showing{});
  EXPECT_EQ(taken(R"({"layers": {"layer": 2}})"), Showing{});
  Request own;
  own.top_p = 0.5;
  EXPECT_EQ(taken(R"({"layers": {"hide_first": true}})", own), (Showing{.top_p = 0.5}));
  EXPECT_THROW(taken(R"({"layers": {"hide_first": 3}})"), Error);
}

}  // namespace
}  // namespace headscope

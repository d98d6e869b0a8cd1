#include "app/session/moment_size.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(MomentSize, CountsWhatMayBeLarge) {
  const std::size_t empty = bytes_of(Moment{});
  EXPECT_GE(empty, sizeof(Request) + sizeof(ViewState));
  EXPECT_LE(empty, sizeof(Moment) + 1000);
  const std::string text(100'000, 'x');
  Moment moment;
  moment.draft.phrase = moment.draft.key_phrase.emplace(text);
  moment.draft.second_phrase = text;
  EXPECT_EQ(bytes_of_phrases(moment.draft), 3 * text.size());
  moment.draft.weights = text;
  moment.document.given_phrase = text;
  moment.view.lesson = {{text, text}};
  EXPECT_GE(bytes_of(moment), empty + 7 * text.size());
  EXPECT_LE(bytes_of(moment), empty + 7 * text.size() + 1000);
}

TEST(MomentSize, CountsInterventionsAndTokens) {
  const std::size_t empty = bytes_of(Moment{});
  Moment moment;
  moment.draft.edits.assign(1000, {"scores", {0, 1, 2, 3}, 0.5F, {}, true});
  EXPECT_GE(bytes_of(moment), empty + 1000 * (sizeof(NumberEdit) + 4 * sizeof(std::int64_t)));
  moment.draft.token_ids.assign(1000, 123456);
  EXPECT_GE(bytes_of(moment), empty + 1000 * sizeof(NumberEdit) + 6000);
}

}  // namespace
}  // namespace headscope

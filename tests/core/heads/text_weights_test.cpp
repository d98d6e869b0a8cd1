// What shades a text: rows and columns of the weights, heads combined, hidden words, the strongest ones.
#include "core/heads/text_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> traced(const std::string& phrase, const char* mask = "none") {
  Request request;
  request.phrase = phrase;
  request.d_model = 16;
  request.heads = 4;
  request.input_dim = 8;
  find_request_option("mask")->set(request, mask);
  Engine engine;
  return engine.run(request, {});
}

float weight(const Trace& trace, std::int64_t h, std::int64_t i, std::int64_t j) {
  return trace.tensor(StageId::weights).at({0, h, i, j});
}

TEST(TextWeights, ARowIsTheSumOverTheChosenHeads) {
  const auto trace = traced("a b c d e");
  const TextWeights found = text_weights(*trace, {0, {1, 3}, 2, TextAlong::row, HeadsCombined::sum});
  ASSERT_EQ(found.values.size(), 5U);
  for (std::int64_t j = 0; j < 5; ++j) {
    const double sum = static_cast<double>(weight(*trace, 1, 2, j)) + static_cast<double>(weight(*trace, 3, 2, j));
    EXPECT_EQ(found.values[static_cast<std::size_t>(j)], static_cast<float>(sum));
    for (std::int64_t h = 0; h < 4; ++h) EXPECT_EQ(found.by_head.at({h, j}), weight(*trace, h, 2, j));
  }
}

TEST(TextWeights, AColumnIsTheMeanOverTheQueries) {
  const auto trace = traced("a b c d e");
  const TextWeights found = text_weights(*trace, {0, {0, 2}, 3, TextAlong::column, HeadsCombined::mean});
  for (std::int64_t i = 0; i < 5; ++i) {
    const double sum = static_cast<double>(weight(*trace, 0, i, 3)) + static_cast<double>(weight(*trace, 2, i, 3));
    EXPECT_EQ(found.values[static_cast<std::size_t>(i)], static_cast<float>(sum / 2));
  }
}

TEST(TextWeights, TheStrongestComeFirstAndHiddenWordsAreKnown) {
  const auto trace = traced("a b c d e", "causal");
  const TextWeights found = text_weights(*trace, {0, {0}, 2, TextAlong::row, HeadsCombined::sum});
  EXPECT_EQ(found.hidden, (std::vector<std::uint8_t>{0, 0, 0, 1, 1}));
  ASSERT_EQ(found.strongest.size(), 3U) << "hidden words have no weight";
  EXPECT_GE(found.values[static_cast<std::size_t>(found.strongest[0])],
            found.values[static_cast<std::size_t>(found.strongest[1])]);
  EXPECT_EQ(found.largest, static_cast<double>(found.values[static_cast<std::size_t>(found.strongest[0])]));
  const TextWeights down = text_weights(*trace, {0, {0}, 2, TextAlong::column, HeadsCombined::sum});
  EXPECT_EQ(down.hidden, (std::vector<std::uint8_t>{1, 1, 0, 0, 0}));
}

TEST(TextWeights, NoHeadHasNoWeights) {
  const auto trace = traced("a b c");
  const TextWeights found = text_weights(*trace, {0, {}, 0, TextAlong::row, HeadsCombined::mean});
  EXPECT_EQ(found.values, (std::vector<float>{0, 0, 0}));
  EXPECT_TRUE(found.strongest.empty());
  EXPECT_EQ(found.largest, 0);
}

TEST(TextWeights, StopsWhenItIsCancelled) {
  const auto trace = traced("a b c");
  CancelToken stop;
  stop.cancel();
  EXPECT_THROW(text_weights(*trace, {0, {0}, 0, TextAlong::row, HeadsCombined::sum}, stop), Cancelled);
}

TEST(TextWeights, SaysWhatIsShown) {
  const auto words = [](std::vector<std::int64_t> heads, HeadsCombined combined) {
    return text_weights_words({0, std::move(heads), 0, TextAlong::row, combined}, 3);
  };
  EXPECT_EQ(words({2}, HeadsCombined::mean), "weights of head 2");
  EXPECT_EQ(words({0, 2}, HeadsCombined::sum), "sum of the weights of heads 0 and 2");
  EXPECT_EQ(words({0, 1, 2}, HeadsCombined::mean), "mean of the weights of all 3 heads");
  EXPECT_EQ(words({}, HeadsCombined::sum), "no head is chosen");
  EXPECT_EQ(combined_heads(std::nullopt, 3), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(combined_heads(std::vector<std::int64_t>{1, 7}, 3), (std::vector<std::int64_t>{1}));
}

TEST(TextWeights, TokensAreTheLettersOfTheText) {
  const auto trace = traced("the animal .");
  const std::vector<TextToken> tokens = text_tokens(*trace, true);
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[1].letters, "animal");
  EXPECT_FALSE(tokens[1].joined) << "these words are not in pieces";
}

}  // namespace
}  // namespace headscope

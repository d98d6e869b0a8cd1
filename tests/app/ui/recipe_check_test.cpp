// A picture that is opened after its model's weights changed.
#include "app/ui/recipe_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "core/export/used_weights.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr const char* kZeros = "0000000000000000000000000000000000000000000000000000000000000000";

class RecipeCheckTest : public ::testing::Test {
 protected:
  // A session of a demo with these hashes.
  std::string session_of(const UsedWeights& used) const {
    return R"({"model": "demo:pronouns", "phrase": "the animal was tired", "used_weights": {"layers": )" +
           std::to_string(used.layers) + R"(, "whole": false, "sha256": ")" + used.sha256 + R"(", "words_sha256": ")" +
           used.words_sha256 + "\"}}";
  }
  // What is said of the weights, once that is known; "" when nothing is.
  std::string said() {
    for (int k = 0; k < 100; ++k) {
      driver_.wait(0.2);
      const auto& notices = driver_.state.notices;
      const auto found =
          std::find_if(notices.begin(), notices.end(), [](const Notice& each) { return each.key == "recipe"; });
      if (found != notices.end()) return found->fact + " " + found->advice;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "";
  }
  void open(const std::string& text) { driver_.drop(folder_.write("fig.json", text)); }

  TemporaryFolder folder_;
  Driver driver_;
};

TEST_F(RecipeCheckTest, OtherWeightsAreSaid) {
  open(session_of({1, false, kZeros, kZeros}));
  EXPECT_EQ(said().find("Other weights. The weights of demo:pronouns are not those that fig.json was made with"), 0u)
      << said();
  open(R"({"model": "demo:pronouns", "phrase": "the animal was tired"})");
  EXPECT_EQ(said(), "") << "another file has no hash";
}

TEST_F(RecipeCheckTest, TheSameWeightsAreNot) {
  open(R"({"model": "demo:pronouns", "phrase": "the animal was tired"})");
  const UsedWeights used = *used_weights(driver_.trace(), false, CancelToken());
  open(session_of(used));
  EXPECT_EQ(said(), "");
  UsedWeights words = used;
  words.words_sha256 = kZeros;
  open(session_of(words));
  EXPECT_NE(said().find("The vectors of the words in demo:pronouns are not those"), std::string::npos);
}

TEST_F(RecipeCheckTest, BothResultsOfADifferenceAreLookedAt) {
  open(R"({"model": "demo:pronouns", "phrase": "the animal was tired"})");
  const UsedWeights used = *used_weights(driver_.trace(), false, CancelToken());
  std::string picture = session_of(used);
  picture.pop_back();
  const std::string a = R"({"model": "demo:stories", "phrase": "Anna had a ball"})";
  open(picture + R"(, "against": )" + a + R"(, "view": {"view": "difference"}, "against_used_weights": )" +
       R"({"layers": 1, "whole": false, "sha256": ")" + kZeros + R"(", "words_sha256": ""}})");
  const std::string words = said();
  EXPECT_EQ(words.find("Other weights. The weights of demo:stories are not those that fig.json was made with"), 0u)
      << words;
  EXPECT_EQ(words.find("demo:pronouns"), std::string::npos) << words;
}

TEST_F(RecipeCheckTest, ATextOfTheClipboardIsLookedAtToo) {
  driver_.clipboard = session_of({1, false, kZeros, kZeros});
  driver_.push(CommandId::paste_session);
  driver_.step();
  EXPECT_NE(said().find("the clipboard's picture"), std::string::npos);
}

}  // namespace
}  // namespace headscope::ui

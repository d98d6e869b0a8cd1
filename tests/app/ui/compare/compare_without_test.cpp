// While nothing is pinned, the run without the picked head stands beside the current one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/widgets/widgets.h"
#include "core/attention/engine.h"
#include "core/request/intervention_list.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(CompareWithout, SaysWhatToDoWhereNoHeadCanBeOff) {
  Driver d;
  d.ctrl(KeyName::d);
  put_ablated(d.session.draft, {0, d.session.view.head}, true);
  d.step(3);
  EXPECT_EQ(d.session.view.main_view, MainView::compare);
  EXPECT_FALSE(d.has("compare/stage")) << "the picked head is off already";
  EXPECT_TRUE(d.has("compare/pin"));
}

TEST(CompareWithout, WhileNothingIsPinnedTheRunWithoutThePickedHeadIsBeside) {
  Driver d;
  d.session.view.head = 1;
  d.ctrl(KeyName::d);
  d.step(3);
  EXPECT_TRUE(d.has("compare/A/picture") && d.has("compare/B/picture") && d.has("compare/difference/picture"));
  EXPECT_TRUE(d.has("compare/first/context")) << "a head that is off changes no weights of its own layer";
  EXPECT_TRUE(d.has("compare/option/ablate"));
  EXPECT_FALSE(d.has("status/pinned") || d.has("compare/unpin"));
  // Held against a run of its own.
  Request without = d.trace().request;
  put_ablated(without, {0, 1}, true);
  const std::vector<float> a = Engine().run(without, {})->tensor(StageId::output).values(),
                           b = d.trace().tensor(StageId::output).values();
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k])));
  }
  const std::string words = "largest difference " + number_label(largest, 4, true);
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& each) { return each.words == words; }))
      << words;
  d.ctrl(KeyName::e);
  EXPECT_TRUE(d.has("export/what/difference")) << "what is shown can be exported";
}

bool says(const Driver& d, const std::string& words) {
  return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& each) { return each.words == words; });
}

TEST(CompareWithout, TheListOfStagesBeginsWhereTheNumbersPart) {
  Driver d(1280, 800);
  d.ctrl(KeyName::d);
  d.step(3);
  ASSERT_TRUE(d.has("compare/first/context"));
  const Rect lists = d.rect("compare/current");
  const auto is_seen = [&](const std::string& stage) {
    const Rect at = d.rect("compare/stages/" + stage);
    return at.min.y >= lists.min.y && at.max.y <= lists.max.y;
  };
  EXPECT_TRUE(is_seen("context"));
  EXPECT_TRUE(is_seen("weights")) << "an equal one tells that there are more above";
  EXPECT_FALSE(is_seen("input"));
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(), [](const DrawnText& text) {
    return text.words.starts_with("the first ") && text.words.ends_with(" are equal");
  }));
  d.wheel("compare/stages/context", 20);
  d.step(3);
  EXPECT_TRUE(is_seen("input")) << "it stays where the user scrolls it";
  d.session.view.head = 2;
  d.step(4);
  EXPECT_TRUE(is_seen("input")) << "another head that is off parts at the same stage";
}

TEST(CompareWithout, AHeadThatIsOffIsSaidInPlaceOfAnEmptyBar) {
  Driver d(1280, 800);
  d.session.view.head = 1;
  d.ctrl(KeyName::d);
  d.step(3);
  EXPECT_TRUE(says(d, "head is off in A"));
  d.key(KeyName::d, true, true);
  put_ablated(d.session.draft, {0, 3}, true);
  d.step(4);
  EXPECT_TRUE(says(d, "head is off in B"));
  EXPECT_FALSE(says(d, "head is off in A"));
}

}  // namespace
}  // namespace headscope::ui

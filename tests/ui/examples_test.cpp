// The tutorials as examples: each opens, runs, and shows its mistakes at controls that are there.
#include <gtest/gtest.h>

#include "app/ui/examples.h"
#include "core/error.h"
#include "driver.h"

namespace headscope::ui {
namespace {

TEST(Examples, EveryOneRunsAndPointsAtRealControls) {
  ASSERT_EQ(all_examples().size(), 5u);
  for (const Example& example : all_examples()) {
    Driver d;
    d.choose("menu/File", "Examples...");
    d.click("examples/" + example.id);
    d.step();
    EXPECT_FALSE(d.session.problem().has_value()) << example.id;
    EXPECT_EQ(d.session.draft, example.request);
    EXPECT_EQ(d.state.title, example.title);
    ASSERT_FALSE(example.mistakes.empty());
    for (const ExampleMistake& mistake : example.mistakes) {
      ASSERT_TRUE(d.has("mistake/next")) << example.id << ": " << mistake.title;
      EXPECT_EQ(d.state.text["callout/title"], mistake.title);
      EXPECT_NE(d.trace().find(mistake.stage), nullptr) << example.id << ": " << mistake.title;
      EXPECT_EQ(d.session.view.stage, mistake.stage);
      EXPECT_TRUE(d.has(mistake.controls.front())) << example.id << ": " << mistake.controls.front();
      d.key(KeyName::enter);
    }
    EXPECT_FALSE(d.has("mistake"));
  }
}

TEST(Examples, AnotherDocumentEndsThem) {
  Driver d;
  d.choose("menu/File", "Examples...");
  d.key(KeyName::down);
  d.key(KeyName::enter);
  EXPECT_EQ(d.state.title, all_examples()[1].title);
  ASSERT_TRUE(d.has("mistake"));
  d.ctrl(KeyName::n);
  EXPECT_FALSE(d.has("mistake"));
}

TEST(Examples, AFileThatLacksSomethingIsRefused) {
  EXPECT_THROW(parse_example("x", "{"), Error);
  EXPECT_THROW(parse_example("x", R"({"title": "t", "about": "a", "request": {}, "stage": "no", "mistakes": []})"),
               Error);
  EXPECT_THROW(parse_example("x", R"({"title": "t", "about": "a", "request": {"no": 1}, "stage": "output",
                                       "mistakes": []})"),
               Error);
}

}  // namespace
}  // namespace headscope::ui

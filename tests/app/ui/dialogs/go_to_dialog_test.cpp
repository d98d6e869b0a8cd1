// 'Go to cell': by index, by the beginning of a token, and from one place of a word to the next.
#include <gtest/gtest.h>

#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(GoToDialog, TakesAnIndexAndTheBeginningOfAToken) {
  Driver d;
  d.ctrl(KeyName::g);
  ASSERT_EQ(d.state.dialog, DialogKind::go_to);
  d.type("4");
  d.key(KeyName::tab);
  d.type("nom");
  d.key(KeyName::enter);
  d.step();
  ASSERT_TRUE(d.session.view.cell.has_value());
  EXPECT_EQ(*d.session.view.cell, (Cell{4, 2}));
  EXPECT_EQ(d.state.dialog, DialogKind::none);
}

TEST(GoToDialog, WalksThroughThePlacesOfAWord) {
  Driver d;
  d.session.draft.phrase = "the cat the dog the end";
  d.step(3);
  d.ctrl(KeyName::g);
  d.type("the");
  EXPECT_TRUE(d.has("go_to/query/next"));
  d.key(KeyName::down);
  d.click("go_to/query/next");
  d.click("go_to/key");
  d.type("the");
  d.key(KeyName::up);  // from the first back to the last
  d.key(KeyName::up);
  d.click("go_to/primary");
  d.step();
  EXPECT_EQ(d.session.view.cell, (Cell{4, 2}));
}

}  // namespace
}  // namespace headscope::ui

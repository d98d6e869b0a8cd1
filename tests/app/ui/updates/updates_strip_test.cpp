// The time slider: shown once a followed file has changed, used by mouse and by keyboard.
#include "app/ui/updates/updates_strip.h"

#include <gtest/gtest.h>

#include "app/ui/command_state.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// A followed file that has changed `count` times.
void change(Driver& d, int count) {
  for (int k = 0; k < count; ++k) {
    d.session.take_update();
    d.step();
  }
}

std::int64_t number(const Driver& d) {
  const Updates& updates = d.session.updates;
  return updates.kept()[updates.shown()].number;
}

TEST(UpdatesStrip, IsThereOnceThereIsSomethingToGoThrough) {
  Driver d;
  d.step();
  EXPECT_FALSE(d.has("updates"));
  change(d, 1);
  ASSERT_TRUE(d.has("updates"));
  EXPECT_GE(d.rect("inspector").min.y, 0);
  EXPECT_LE(d.rect("inspector").max.y, d.rect("updates").min.y + 1) << "the panels make room";
  d.push(CommandId::new_session);
  d.step();
  EXPECT_FALSE(d.has("updates")) << "another document";
}

TEST(UpdatesStrip, TheMouseGoesThroughTheResultsAndBackToTheNewest) {
  Driver d;
  d.step();
  change(d, 10);
  EXPECT_EQ(number(d), 11);
  d.click(kUpdatesSlider, 0.0f);
  EXPECT_EQ(number(d), 1);
  d.click(kUpdatesSlider, 0.5f);
  EXPECT_EQ(number(d), 6);
  EXPECT_EQ(&d.trace(), d.session.updates.kept()[5].trace.get());
  d.click("updates/back");
  EXPECT_EQ(number(d), 5);
  d.click("updates/next");
  d.click("updates/next");
  EXPECT_EQ(number(d), 7);
  change(d, 1);
  EXPECT_EQ(number(d), 7) << "what comes meanwhile";
  d.click("updates/newest");
  EXPECT_EQ(number(d), 12);
  const Rect slider = d.rect(kUpdatesSlider);
  d.drag({slider.max.x - 8, slider.center().y}, {slider.min.x - 500, slider.center().y});
  EXPECT_EQ(number(d), 1) << "dragged beyond its end";
}

TEST(UpdatesStrip, TheKeyboardDoesTheSame) {
  Driver d;
  d.step();
  change(d, 10);
  d.tab_to(kUpdatesSlider);
  d.key(KeyName::left);
  EXPECT_EQ(number(d), 10);
  d.key(KeyName::home);
  EXPECT_EQ(number(d), 1);
  d.key(KeyName::left);
  EXPECT_EQ(number(d), 1);
  d.key(KeyName::right);
  EXPECT_EQ(number(d), 2);
  d.key(KeyName::page_down);
  EXPECT_EQ(number(d), 11);
  d.key(KeyName::page_up);
  EXPECT_EQ(number(d), 1);
  d.key(KeyName::end);
  EXPECT_EQ(d.session.updates.past(), nullptr);
  d.push(CommandId::update_before);
  d.step();
  EXPECT_EQ(number(d), 10);
  d.push(CommandId::newest_update);
  d.step();
  EXPECT_EQ(d.session.updates.past(), nullptr);
}

TEST(UpdatesStrip, PlaysFromTheFirstToTheNewestAndStops) {
  Driver d;
  d.step();
  change(d, 3);
  d.click("updates/play");
  EXPECT_EQ(number(d), 1);
  std::vector<std::int64_t> seen = {number(d)};
  for (int k = 0; k < 40 && d.session.updates.past() != nullptr; ++k) {
    d.wait(0.05);
    if (number(d) != seen.back()) seen.push_back(number(d));
  }
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_FALSE(d.state.panels.get<UpdatesStrip>().plays);
  d.click("updates/play");
  d.click("updates/play");
  EXPECT_FALSE(d.state.panels.get<UpdatesStrip>().plays) << "pressed again it stays";
}

TEST(UpdatesStrip, AnEditShowsItsOwnResult) {
  Driver d;
  d.step();
  change(d, 3);
  d.click("updates/back");
  EXPECT_NE(d.session.updates.past(), nullptr);
  d.session.draft.mask.clear();
  d.session.draft.heads = 4;
  d.step();
  EXPECT_EQ(d.session.updates.past(), nullptr);
  EXPECT_EQ(d.trace().num_heads(), 4);
}

}  // namespace
}  // namespace headscope::ui

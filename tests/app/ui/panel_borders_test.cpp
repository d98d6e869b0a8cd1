// Borders between panels, dragged and moved by keys; panels closed and opened by their own controls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/panel_layout.h"
#include "app/session/state_json.h"
#include "app/ui/layout.h"
#include "app/ui/shell_state.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(PanelBorders, MoveByArrowsHomeEndAndDelOnceTheyHaveTheFocus) {
  Driver d;
  d.state.focus = "split/request";
  d.state.focus_by_keyboard = true;
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.request_width, 272);
  d.key(KeyName::left, false, true);
  EXPECT_EQ(d.session.view.request_width, 232);
  d.key(KeyName::end);
  EXPECT_EQ(d.session.view.request_width, kMostRequest);
  d.key(KeyName::home);
  EXPECT_EQ(d.session.view.request_width, kLeastRequest);
  d.key(KeyName::del);
  EXPECT_EQ(d.session.view.request_width, ViewState().request_width);
  d.state.focus = "split/concat";
  const float before = d.rect("concat").height();
  d.key(KeyName::up);
  d.step();
  EXPECT_EQ(d.rect("concat").height(), before + 8);
  EXPECT_EQ(d.session.view.head, 0) << "no other panel took the keys";
}

TEST(PanelBorders, AreInTheOrderOfTab) {
  Driver d;
  for (const char* name : {"split/request", "split/inspector", "split/concat"}) {
    EXPECT_EQ(std::count(d.state.tab_order.begin(), d.state.tab_order.end(), name), 1) << name;
  }
}

// Examples take the room of heads and concat: the border between those would cross the cards.
TEST(PanelBorders, DoNotCrossTheExamples) {
  Driver d(phrase_document("one two three"));
  ASSERT_TRUE(d.has("split/concat"));
  d.session.draft.phrase = "";
  d.step();
  ASSERT_TRUE(d.has("offers"));
  EXPECT_FALSE(d.has("split/concat"));
  d.session.draft.phrase = "one two";
  d.step();
  EXPECT_TRUE(d.has("split/concat"));
}

TEST(PanelBorders, GoBackByADoubleClick) {
  Driver d;
  const Rect usual = d.rect("inspector");
  const Rect grip = d.rect("split/inspector");
  d.drag(grip.center(), {grip.center().x - 60, grip.center().y});
  EXPECT_EQ(d.rect("inspector").width(), usual.width() + 60);
  d.double_click("split/inspector");
  d.step();
  EXPECT_EQ(d.rect("inspector").width(), usual.width());
}

// A screen that is high, where everything is small.
TEST(PanelBorders, NoPanelGrowsBeyondWhatASessionCanHold) {
  Driver d(4000, 3000, 0.5f);
  for (const auto& [name, to] : {std::pair{"split/concat", ImVec2{0, -1}}, {"split/inspector", ImVec2{-1, 0}}}) {
    const ImVec2 from = d.rect(name).center();
    d.drag(from, {from.x + 4000 * to.x, from.y + 4000 * to.y});
    d.step();
  }
  EXPECT_LE(d.session.view.concat_height, kLargestPanel);
  EXPECT_LE(d.session.view.inspector_width, kLargestPanel);
  EXPECT_GT(d.session.view.concat_height, 3000);
  const std::string written = view_state_json(d.session.view);
  EXPECT_EQ(view_state_json(parse_view_state(written)), written);
}

TEST(PanelBorders, LeaveTheHeadsTheirLeastRoomAtEverySizeAndScale) {
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    for (const auto& [w, h] : {std::pair{960, 600}, {1100, 700}, {1280, 800}, {1600, 1000}, {2560, 1440}}) {
      ViewState view;
      view.request_width = view.inspector_width = view.concat_height = 4000;
      const Layout l = layout_of(
          {.width = static_cast<float>(w) * scale, .height = static_cast<float>(h) * scale, .scale = scale}, view);
      EXPECT_GE(l.heads.height(), std::floor(kLeastHeadsHeight * scale)) << w << "x" << h;
      if (!l.tabs) {
        EXPECT_GE(l.heads.width(), std::floor(kLeastHeadsWidth * scale) - 1) << w << "x" << h;
      }
      EXPECT_EQ(l.inspector.max.x, std::round(static_cast<float>(w) * scale));
    }
  }
}

TEST(PanelBorders, PanelsCloseAndOpenByTheirOwnControls) {
  Driver d;
  d.click("request/close");
  EXPECT_TRUE(d.session.view.request_collapsed);
  d.click("request/open");
  EXPECT_FALSE(d.session.view.request_collapsed);
  d.click("inspector/close");
  EXPECT_TRUE(d.session.view.inspector_collapsed);
  d.click("inspector/open");
  EXPECT_FALSE(d.session.view.inspector_collapsed);
  d.click("concat/collapse");
  EXPECT_EQ(d.rect("concat").height(), 40);
  d.click("concat/collapse");
  EXPECT_EQ(d.rect("concat").height(), 240);
  const float strip = d.rect("heads").min.y;
  d.click("pipeline_size");
  EXPECT_LT(d.rect("heads").min.y, strip);
  d.click("pipeline_size");
  EXPECT_EQ(d.rect("heads").min.y, strip);
}

TEST(PanelBorders, ConcatOpensInALowWindowToo) {
  Driver d(960, 600);
  EXPECT_EQ(d.rect("concat").height(), 40);
  d.click("concat/collapse");
  d.step();
  EXPECT_GT(d.rect("concat").height(), 80);
  EXPECT_GE(d.rect("heads").height(), kLeastHeadsHeight);
  d.key(KeyName::f7);
  EXPECT_EQ(d.rect("concat").height(), 40);
}

TEST(PanelBorders, AreRememberedInTheSettingsAndStayInANewSession) {
  Driver d;
  d.session.view.request_width = 300;
  d.session.view.inspector_collapsed = true;
  d.step();
  const Settings kept = parse_settings(settings_json(d.settings));
  ASSERT_TRUE(kept.panels);
  EXPECT_EQ(kept.panels->request_width, 300);
  EXPECT_TRUE(kept.panels->inspector_collapsed);
  d.ctrl(KeyName::n);
  EXPECT_EQ(d.session.view.request_width, 300);
  EXPECT_TRUE(d.session.view.inspector_collapsed);
  ViewState view;
  set_panel_layout(view, *kept.panels);
  EXPECT_EQ(panel_layout_of(view), *kept.panels);
}

}  // namespace
}  // namespace headscope::ui

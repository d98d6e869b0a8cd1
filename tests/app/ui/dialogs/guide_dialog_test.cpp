// Help > Guide: read, searched, followed and left.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "app/ui/guide/examples.h"
#include "app/ui/guide/guide_page.h"
#include "app/ui/widgets/control_states.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

bool is_drawn(const Driver& d, const std::string& words) {
  for (const DrawnText& text : d.texts) {
    if (text.words.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(GuideDialog, IsOpenedByItsKeyAndLeftByEsc) {
  Driver d;
  d.step(3);
  d.key(KeyName::f1, false, true);
  ASSERT_EQ(d.state.dialog, DialogKind::guide);
  EXPECT_EQ(d.focus(), "guide/query");
  EXPECT_TRUE(is_drawn(d, "First look"));
  d.key(KeyName::escape);
  EXPECT_EQ(d.state.dialog, DialogKind::none);
}

TEST(GuideDialog, EveryPageIsDrawnAtEverySize) {
  for (const auto& [width, height, scale] : {std::tuple{640, 400, 1.0f}, {1280, 800, 1.0f}, {2560, 1440, 2.0f}}) {
    Driver d(width, height, scale);
    d.step(3);
    d.push(CommandId::guide);
    d.step(3);
    for (const GuidePage& page : guide_pages()) {
      d.push(CommandId::guide, page.id);
      d.step(3);
      EXPECT_TRUE(d.has("guide/page/" + page.id)) << page.id;
      EXPECT_TRUE(is_drawn(d, page.title)) << page.id << " at " << width;
    }
  }
}

TEST(GuideDialog, APageIsChosenByMouseAndScrolledByKeys) {
  Driver d(1280, 800);
  d.step(3);
  d.push(CommandId::guide);
  d.step(3);
  d.click("guide/page/03-my-checkpoint");
  d.step();
  ASSERT_TRUE(is_drawn(d, "config.json"));
  d.key(KeyName::end);
  d.step(2);
  EXPECT_TRUE(is_drawn(d, "Tensors that are not used"));
  EXPECT_GT(d.state.panels.get<ScrollOffsets>().down["guide/text"], 500);
  d.key(KeyName::home);
  d.step(2);
  EXPECT_EQ(d.state.panels.get<ScrollOffsets>().down["guide/text"], 0);
  d.key(KeyName::page_down);
  d.step(2);
  EXPECT_GT(d.state.panels.get<ScrollOffsets>().down["guide/text"], 100);
  // It comes back to the page that was read.
  d.key(KeyName::escape);
  d.key(KeyName::f1, false, true);
  EXPECT_TRUE(is_drawn(d, "My checkpoint"));
}

TEST(GuideDialog, SearchGoesToThePlace) {
  Driver d(1280, 800);
  d.step(3);
  d.push(CommandId::guide);
  d.step(3);
  d.type("head_dim sliding_window");
  d.step(2);
  ASSERT_TRUE(d.has("guide/hit/0"));
  EXPECT_FALSE(d.has("guide/page/01-first-look"));
  const std::vector<GuideHit> hits = find_in_guide("head_dim sliding_window", 60);
  const std::string last = "guide/hit/" + std::to_string(hits.size() - 1);
  ASSERT_TRUE(d.has(last));
  d.click(last);
  d.step(2);
  EXPECT_TRUE(is_drawn(d, "sliding_window"));
  EXPECT_GT(d.state.panels.get<ScrollOffsets>().down["guide/text"], 100);
  d.tab_to("guide/query");
  d.ctrl(KeyName::a);
  d.type("xyzzyx");
  d.step();
  EXPECT_TRUE(is_drawn(d, "No page has"));
}

TEST(GuideDialog, LinksOpenPagesExamplesAndCommands) {
  Driver d(1280, 800);
  d.step(3);
  d.push(CommandId::guide, "01-first-look");
  d.step(3);
  // The first link of the page is an example.
  d.click("guide/link/1");
  d.step(4);
  EXPECT_EQ(d.state.dialog, DialogKind::none);
  EXPECT_EQ(d.state.panels.get<ExampleState>().id, "001-causal-phrase");
  d.push(CommandId::guide, "04-find-my-bug");
  d.step(3);
  d.click("guide/link/1");  // Ctrl+B
  d.step(3);
  EXPECT_EQ(d.state.dialog, DialogKind::none);
  EXPECT_EQ(d.session.view.main_view, MainView::bug_lab);
  d.push(CommandId::guide, "10-command-line");
  d.step(3);
  d.tab_to("guide/link/1");  // a page, by the keyboard
  d.key(KeyName::enter);
  d.step(3);
  EXPECT_EQ(d.state.dialog, DialogKind::guide);
  EXPECT_TRUE(is_drawn(d, "Two minutes") || is_drawn(d, "First look"));
}

TEST(GuideDialog, CodeIsCopiedWhole) {
  Driver d(1280, 800);
  d.step(3);
  d.push(CommandId::guide, "07-a-corpus");
  d.step(3);
  d.click("guide/copy/1");
  EXPECT_NE(d.clipboard.find("headscope-cli merge shard1.hsagg shard0.hsagg --out all.hsagg\n"), std::string::npos)
      << d.clipboard;
}

}  // namespace
}  // namespace headscope::ui

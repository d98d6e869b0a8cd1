// The groups of the strip: which view each opens, and what unfolds all of them.
#include "app/ui/view_group.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/session/settings.h"
#include "app/ui/main_view.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string entry(MainView view) {
  return std::string("views/") + main_view_word(view);
}

MainView shown(const Driver& d) {
  return d.session.view.main_view;
}

// A model with two layers: every view can open.
Document model() {
  return open_document("demo:pronouns", demo_document().request, ViewState());
}

bool says(const Driver& d, const std::string& words) {
  for (const DrawnText& text : d.texts) {
    if (text.words.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(ViewGroups, AGroupOpensTheViewOfItThatWasOpenLast) {
  Driver d(model());
  d.click("views/group/Why");
  EXPECT_EQ(shown(d), MainView::lens) << "the first of it";
  d.click(entry(MainView::circuits));
  d.click("views/group/Change");
  EXPECT_EQ(shown(d), MainView::mask);
  d.click("views/group/Why");
  EXPECT_EQ(shown(d), MainView::circuits);
  d.click("views/group/Look");
  EXPECT_EQ(shown(d), MainView::layer);
}

TEST(ViewGroups, AGroupPassesByWhatCannotOpen) {
  Driver d;  // one layer of seeded weights: no lens
  d.click("views/group/Why");
  EXPECT_EQ(shown(d), MainView::sensitivity);
}

TEST(ViewGroups, EveryGroupHasViewsBesideEachOther) {
  std::vector<ViewGroup> seen;
  for (const MainViewInfo& info : main_views()) {
    if (seen.empty() || seen.back() != info.group) seen.push_back(info.group);
  }
  ASSERT_EQ(seen.size(), view_groups().size());
  for (std::size_t k = 0; k < seen.size(); ++k) EXPECT_EQ(seen[k], view_groups()[k].group);
}

TEST(ViewGroups, F12UnfoldsEverythingAndFoldsItAgain) {
  Driver d(model());
  d.session.view.request_collapsed = d.session.view.concat_collapsed = true;
  d.session.view.request_width = 300;
  d.step();
  EXPECT_TRUE(says(d, "Unfold all"));
  d.key(KeyName::f12);
  EXPECT_TRUE(d.has("request/weights"));
  EXPECT_TRUE(d.has(entry(MainView::script)));
  EXPECT_FALSE(d.session.view.concat_collapsed || d.session.view.pipeline_collapsed);
  EXPECT_EQ(d.session.view.request_width, 300);
  EXPECT_TRUE(d.settings.folded.has_value());
  d.click("views/unfold");
  EXPECT_FALSE(d.has("request/weights"));
  EXPECT_FALSE(d.has(entry(MainView::script)));
  EXPECT_TRUE(d.session.view.request_collapsed && d.session.view.concat_collapsed);
  EXPECT_FALSE(d.session.view.pipeline_collapsed) << "it was not folded before";
  EXPECT_FALSE(d.settings.folded.has_value());
}

}  // namespace
}  // namespace headscope::ui

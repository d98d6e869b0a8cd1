// The views that take the place of one layer's panels.
#include "app/ui/main_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

bool has_notice(const Driver& d, const std::string& key, const std::string& fact) {
  return std::any_of(d.state.notices.begin(), d.state.notices.end(),
                     [&](const Notice& notice) { return notice.key == key && notice.fact == fact; });
}

TEST(MainView, SaysThatNothingIsComputedYet) {
  Document document = demo_document();
  document.request.heads = 7;
  document.request.d_model = 32;
  Driver d(document);
  ASSERT_EQ(d.session.trace(), nullptr);
  d.ctrl(KeyName::m);
  EXPECT_TRUE(has_notice(d, "mask", "Nothing is computed yet."));
  d.key(KeyName::w, true, true);
  EXPECT_TRUE(has_notice(d, "weights", "Nothing is computed yet."));
  d.key(KeyName::f3);
  EXPECT_TRUE(has_notice(d, "layers", "Nothing is computed yet."));
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  d.session.draft.heads = 4;
  d.step(3);
  ASSERT_NE(d.session.trace(), nullptr);
  d.ctrl(KeyName::m);
  EXPECT_TRUE(d.has("mask"));
}

}  // namespace
}  // namespace headscope::ui

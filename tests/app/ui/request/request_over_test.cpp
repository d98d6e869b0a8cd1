// The Request that lies over the panels of a narrow window, and how one leaves it.
#include <gtest/gtest.h>

#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

MainView shown(const Driver& d) {
  return d.session.view.main_view;
}

// A model with two layers: every view can open.
Document model() {
  return open_document("demo:pronouns", demo_document().request, ViewState());
}

TEST(RequestOver, IsClosedByEscapeByItsCrossAndByAClickBesideIt) {
  Driver d(model(), 1280, 800);
  const auto open = [&] {
    d.key(KeyName::f9);
    ASSERT_TRUE(d.has("request/weights"));
  };
  open();
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("request/weights"));
  open();
  d.click("request/close");
  EXPECT_FALSE(d.has("request/weights"));
  open();
  d.click_at({900, 700});
  EXPECT_FALSE(d.has("request/weights"));
  open();
  d.click("menu/View");
  EXPECT_TRUE(d.has("request/weights")) << "a menu may speak of it";
  d.key(KeyName::escape);
  d.choose("request/mask_order", "before scale");
  EXPECT_TRUE(d.has("request/weights")) << "a list of its own";
}

TEST(RequestOver, LeavesBeforeTheViewBelowIt) {
  Driver d(model(), 1280, 800);
  d.key(KeyName::w, true, true);
  d.key(KeyName::f9);
  ASSERT_TRUE(d.has("request/weights"));
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("request/weights"));
  EXPECT_EQ(shown(d), MainView::weights);
  d.key(KeyName::escape);
  EXPECT_EQ(shown(d), MainView::layer);
}

}  // namespace
}  // namespace headscope::ui

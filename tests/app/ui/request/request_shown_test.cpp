// How weights are shown, as options of the request.
#include <gtest/gtest.h>

#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string option(const Driver& d, const char* name) {
  return find_request_option(name)->get(d.session.draft);
}

TEST(RequestShown, IsChangedByCommandsAndUndone) {
  Driver d;
  d.session.view.request_collapsed = false;
  d.push(CommandId::set_option, "hide-tokens=first");
  d.step();
  EXPECT_EQ(option(d, "hide-tokens"), "first");
  ASSERT_TRUE(d.has("heads/shown"));
  d.push(CommandId::set_option, "renormalise=on");
  d.step();
  EXPECT_EQ(option(d, "renormalise"), "on");
  d.push(CommandId::set_option, "top-p=2");
  d.step();
  EXPECT_EQ(option(d, "top-p"), "") << "refused";
  d.session.draft.top_p = 7;
  d.step();
  ASSERT_TRUE(d.session.problem());
  EXPECT_EQ(d.session.problem()->option, "top-p");
  d.push(CommandId::undo);
  d.step();
}

}  // namespace
}  // namespace headscope::ui

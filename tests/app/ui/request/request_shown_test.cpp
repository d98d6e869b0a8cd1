// How weights are shown, as options of the request.
#include <gtest/gtest.h>

#include "app/ui/shortcuts.h"
#include "app/ui/unfolded_rows.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string option(const Driver& d, const char* name) {
  return find_request_option(name)->get(d.session.draft);
}

TEST(RequestShown, EveryOptionHasItsControl) {
  Driver d;
  d.state.panels.get<UnfoldedRows>().open["request/shown"] = true;
  d.step();
  d.wheel("request", -40);
  for (const char* name : {"groups", "hide-tokens", "renormalise", "weighting", "top-p"}) {
    const std::string control = control_of_option(name);
    EXPECT_TRUE(control.starts_with("request/") && !d.names(control).empty()) << name;
  }
}

TEST(RequestShown, ControlsChangeTheDraft) {
  Driver d;
  d.state.panels.get<UnfoldedRows>().open["request/shown"] = true;
  d.step();
  d.wheel("request", -40);
  d.click("request/groups/words");
  EXPECT_EQ(option(d, "groups"), "words");
  d.choose("request/hide_tokens", "first");
  EXPECT_EQ(option(d, "hide-tokens"), "first");
  EXPECT_TRUE(d.has("heads/shown"));
  d.choose("request/weighting", "value-norm");
  EXPECT_EQ(option(d, "weighting"), "value-norm");
  d.wheel("request", -40);
  d.click("request/renormalise");
  EXPECT_EQ(option(d, "renormalise"), "on");
  d.ctrl(KeyName::z);
  EXPECT_EQ(option(d, "renormalise"), "") << "every pick is a step";
  EXPECT_EQ(option(d, "weighting"), "value-norm");
}

TEST(RequestShown, AShareThatIsNoneIsSaid) {
  Driver d;
  d.session.draft.top_p = 7;
  d.step();
  ASSERT_TRUE(d.session.problem());
  EXPECT_EQ(d.session.problem()->option, "top-p");
}

}  // namespace
}  // namespace headscope::ui

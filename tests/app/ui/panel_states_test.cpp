#include "app/ui/panel_states.h"

#include <gtest/gtest.h>

namespace headscope::ui {
namespace {

struct Scrolled {
  int row = 3;
};

struct Chosen {
  std::string file;
  void add_text(std::string& all) const { all += file; }
};

TEST(PanelStates, KeepsOneStateOfEachType) {
  PanelStates states;
  EXPECT_EQ(states.find<Scrolled>(), nullptr);
  EXPECT_EQ(states.get<Scrolled>().row, 3);
  states.get<Scrolled>().row = 5;
  states.get<Chosen>().file = "a.npy";
  ASSERT_NE(states.find<Scrolled>(), nullptr);
  EXPECT_EQ(states.find<Scrolled>()->row, 5);
  EXPECT_EQ(states.get<Chosen>().file, "a.npy");
}

TEST(PanelStates, ForgottenStartsFromItsDefaults) {
  PanelStates states;
  states.get<Scrolled>().row = 5;
  states.forget<Scrolled>();
  EXPECT_EQ(states.find<Scrolled>(), nullptr);
  EXPECT_EQ(states.get<Scrolled>().row, 3);
}

TEST(PanelStates, GivesTheTextThatPanelsShow) {
  PanelStates states;
  states.get<Scrolled>();
  std::string all = "x";
  states.add_text(all);
  EXPECT_EQ(all, "x");
  states.get<Chosen>().file = "é";
  states.add_text(all);
  EXPECT_EQ(all, "xé");
}

}  // namespace
}  // namespace headscope::ui

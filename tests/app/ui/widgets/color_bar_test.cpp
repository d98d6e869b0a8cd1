#include <gtest/gtest.h>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

TEST(ColorBar, TicksAreShort) {
  EXPECT_EQ(tick_label(0.25, 1), ".25");
  EXPECT_EQ(tick_label(1, 1), "1");
  EXPECT_EQ(tick_label(0, 1), "0");
  EXPECT_EQ(tick_label(-1.93, 9), "\u22121.9");
  EXPECT_EQ(tick_label(-0.5, 1), "\u2212.5");
  EXPECT_EQ(tick_label(120, 240), "120");
}

TEST(ColorBar, TicksOfASmallRangeAreNotAllZero) {
  EXPECT_EQ(tick_label(0.0039, 0.0078), ".0039");
  EXPECT_EQ(tick_label(-0.0019, 0.0078), "\u2212.0019");
  EXPECT_EQ(tick_label(0.0012, 0.0019), "1.2e\u221203");
  EXPECT_EQ(tick_label(3.7e-5, 7.4e-5), "3.7e\u221205");
  EXPECT_EQ(tick_label(0, 7.4e-5), "0");
  for (double span = 1e-9; span < 1e6; span *= 1.7) {
    for (const double share : {-0.5, -0.25, 0.25, 0.5}) {
      EXPECT_NE(tick_label(span * share, span).find_first_of("123456789"), std::string::npos) << span;
    }
  }
}

}  // namespace
}  // namespace headscope::ui

// While nothing is pinned, the run without the picked head stands beside the current one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/widgets/widgets.h"
#include "core/attention/engine.h"
#include "core/request/intervention_list.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(CompareWithout, SaysWhatToDoWhereNoHeadCanBeOff) {
  Driver d;
  d.ctrl(KeyName::d);
  put_ablated(d.session.draft, {0, d.session.view.head}, true);
  d.step(3);
  EXPECT_EQ(d.session.view.main_view, MainView::compare);
  EXPECT_FALSE(d.has("compare/stage")) << "the picked head is off already";
  EXPECT_TRUE(d.has("compare/pin"));
}

TEST(CompareWithout, WhileNothingIsPinnedTheRunWithoutThePickedHeadIsBeside) {
  Driver d;
  d.session.view.head = 1;
  d.ctrl(KeyName::d);
  d.step(3);
  EXPECT_TRUE(d.has("compare/A/picture") && d.has("compare/B/picture") && d.has("compare/difference/picture"));
  EXPECT_TRUE(d.has("compare/first/context")) << "a head that is off changes no weights of its own layer";
  EXPECT_TRUE(d.has("compare/option/ablate"));
  EXPECT_FALSE(d.has("status/pinned") || d.has("compare/unpin"));
  // Held against a run of its own.
  Request without = d.trace().request;
  put_ablated(without, {0, 1}, true);
  const std::vector<float> a = Engine().run(without, {})->tensor(StageId::output).values(),
                           b = d.trace().tensor(StageId::output).values();
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k])));
  }
  const std::string words = "largest difference " + number_label(largest, 4, true);
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& each) { return each.words == words; }))
      << words;
  d.ctrl(KeyName::e);
  EXPECT_TRUE(d.has("export/what/difference")) << "what is shown can be exported";
}

}  // namespace
}  // namespace headscope::ui

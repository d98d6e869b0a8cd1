// More contrast where nearly all cells look alike: the offer, the setting, and the handles of the histogram.
#include "app/ui/map/range_choice.h"

#include <gtest/gtest.h>

#include "app/ui/panel_data.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

ValueRange shown_range(Driver& d) {
  return d.state.panel_data->range(d.session.view, StageId::weights, 0, 0);
}

TEST(RangeChoice, OffersNoContrastWhereThereIsSome) {
  Driver d;
  EXPECT_FALSE(d.has("heads/contrast/fit"));
}

TEST(RangeChoice, OffersContrastWhereNearlyAllCellsLookAlike) {
  Driver d(phrase_document(words(60)));
  ASSERT_TRUE(d.has("heads/contrast/fit"));
  EXPECT_EQ(shown_range(d).high, 1);
  d.click("heads/contrast/fit");
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::fit);
  EXPECT_FALSE(d.has("heads/contrast/fit"));
  const ValueSpread spread = *d.state.panel_data->spread(StageId::weights, 0);
  EXPECT_EQ(shown_range(d).low, spread.low);
  EXPECT_EQ(shown_range(d).high, spread.high);
  EXPECT_LT(spread.high, 0.1);
  EXPECT_TRUE(d.has("inspector/color_bar/fit")) << "the bar says so";
  d.choose("heads/range", "range: shared 0–1");
  d.click("heads/contrast/log");
  EXPECT_TRUE(d.session.view.log_scale);
  EXPECT_FALSE(d.has("heads/contrast/log"));
}

TEST(RangeChoice, TheSettingTakesTheOfferAndGoesBack) {
  Driver d(phrase_document(words(60)));
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::shared);
  d.settings.auto_contrast = true;
  d.step();
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::fit);
  d.choose("heads/range", "range: per row");
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::per_row) << "a choice by hand stays";
  d.session.draft.phrase = words(61);
  d.step();
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::per_row);
  choose_range(d.session.view, RangeChoice::shared);
  d.session.draft.phrase = words(62);
  d.step();
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::fit);
  d.session.draft.phrase = words(3);
  d.step();
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::shared) << "three tokens need no fit";
}

TEST(RangeChoice, TheHandlesOfTheHistogramSetTheRange) {
  Driver d(phrase_document(words(12)), 1600, 2400);  // all of the inspector is in sight
  const auto drag = [&](const char* name, float by) {
    const ImVec2 from = d.rect(name).center();
    d.drag(from, {from.x + by, from.y});
  };
  drag("inspector/histogram/low", 60);
  EXPECT_TRUE(d.session.view.range_fixed);
  EXPECT_GT(d.session.view.range_low, 0.001);
  EXPECT_EQ(d.session.view.range_high, 1) << "the other end stays";
  const double low = d.session.view.range_low;
  d.state.focus = "inspector/histogram/low";
  d.key(KeyName::right);
  EXPECT_GT(d.session.view.range_low, low);
  d.key(KeyName::left);
  EXPECT_NEAR(d.session.view.range_low, low, 1e-3);
  d.state.focus = "inspector/histogram/high";
  d.key(KeyName::page_down);
  EXPECT_LT(d.session.view.range_high, 1);
  for (int k = 0; k < 12; ++k) d.key(KeyName::page_down);
  EXPECT_LT(d.session.view.range_low, d.session.view.range_high) << "they do not cross";
  d.key(KeyName::enter);
  EXPECT_EQ(range_choice(d.session.view), RangeChoice::shared);
  drag("inspector/histogram/high", -40);
  EXPECT_TRUE(d.session.view.range_fixed);
  d.double_click("inspector/histogram/high");
  EXPECT_FALSE(d.session.view.range_fixed);
}

TEST(RangeChoice, AnotherStageHasARangeOfItsOwn) {
  Driver d(phrase_document(words(12)), 1600, 1600);
  d.click("pipeline/output");
  const ImVec2 from = d.rect("inspector/histogram/high").center();
  d.drag(from, {from.x - 50, from.y});
  ASSERT_TRUE(d.session.view.stage_range.has_value());
  EXPECT_EQ(d.session.view.stage_range->stage, StageId::output);
  EXPECT_FALSE(d.session.view.range_fixed);
  EXPECT_EQ(d.state.panel_data->range(d.session.view, StageId::output, 0, 0).high, d.session.view.stage_range->high);
  d.click("inspector/range/fit");
  EXPECT_EQ(d.session.view.stage_range->range, RangeKind::fit);
  d.click("inspector/range/auto");
  EXPECT_FALSE(d.session.view.stage_range.has_value());
}

}  // namespace
}  // namespace headscope::ui

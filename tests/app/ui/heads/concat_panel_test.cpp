// Concat and output: what is clicked is what is inspected; a direct merge shows where its cells came from.
#include <gtest/gtest.h>

#include "app/ui/panel_data.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Document twelve_tokens(Merge merge) {
  Document document;
  document.request.phrase = "The animal didn't cross the street because it was too tired .";
  document.request.heads = 8;
  document.request.d_model = 64;
  document.request.merge = merge;
  document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return document;
}

// Whether the picture of provenance was made: forgets it, draws, and looks.
bool shows_provenance(Driver& d) {
  d.state.panel_data->picture("provenance/concat") = {};
  d.step(1);
  return d.state.panel_data->picture("provenance/concat").version != 0;
}

TEST(ConcatPanel, AClickInspectsTheCellAndItsHead) {
  Driver d(twelve_tokens(Merge::transpose));
  d.click("concat/picture", 0.999f, 0.999f);
  EXPECT_EQ(d.session.view.stage, StageId::concat);
  EXPECT_EQ(d.session.view.cell, (Cell{11, 63}));
  EXPECT_EQ(d.session.view.head, 7);
  d.click("concat/picture", 0.001f, 0.001f);
  EXPECT_EQ(d.session.view.cell, (Cell{0, 0}));
  EXPECT_EQ(d.session.view.head, 0);
}

TEST(ConcatPanel, ArrowsMoveThePickedCell) {
  Driver d(twelve_tokens(Merge::transpose));
  d.click("concat/picture", 0.001f, 0.001f);
  d.key(KeyName::down);
  d.key(KeyName::right);
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.cell, (Cell{1, 2}));
  for (int i = 0; i < 8; ++i) d.key(KeyName::right);
  EXPECT_EQ(d.session.view.head, 1) << "the head goes along";
}

TEST(ConcatPanel, ShowsOutputOrBoth) {
  Driver d(twelve_tokens(Merge::transpose));
  EXPECT_FALSE(d.has("concat/output_picture"));
  d.click("concat/shows/both");
  EXPECT_EQ(d.session.view.concat_shows, ConcatShows::both);
  EXPECT_TRUE(d.has("concat/picture"));
  ASSERT_TRUE(d.has("concat/output_picture"));
  d.click("concat/output_picture", 0.999f, 0.5f);
  EXPECT_EQ(d.session.view.stage, StageId::output);
  EXPECT_EQ(d.session.view.cell->column, 63);
  d.click("concat/shows/output");
  EXPECT_FALSE(d.has("concat/picture"));
}

TEST(ConcatPanel, HoveringNamesTokenHeadAndFeature) {
  Driver d(twelve_tokens(Merge::transpose));
  const Rect picture = d.rect("concat/picture");
  d.move({picture.max.x - 2, picture.min.y + 2});
  d.step(1);
  EXPECT_EQ(d.state.hover.query, 0);
  EXPECT_EQ(d.state.hover.head, 7);
  EXPECT_EQ(d.state.hover.feature, 63);
}

TEST(ConcatPanel, ADirectMergeShowsProvenanceUntilValuesAreAskedFor) {
  Driver d(twelve_tokens(Merge::direct));
  EXPECT_TRUE(d.has("concat/report"));
  EXPECT_TRUE(shows_provenance(d));
  ASSERT_TRUE(d.has("concat/provenance/values"));
  d.click("concat/provenance/values");
  EXPECT_FALSE(shows_provenance(d)) << "values are a heatmap";
  EXPECT_TRUE(d.has("concat/color_bar"));
  d.click("concat/provenance/provenance");
  EXPECT_TRUE(shows_provenance(d));
  EXPECT_FALSE(d.has("concat/color_bar")) << "colours are heads then, not numbers";
}

TEST(ConcatPanel, ADirectMergePicksTheHeadThatTheCellCameFrom) {
  Driver d(twelve_tokens(Merge::direct));
  d.click("concat/picture", 0.999f, 0.001f);
  EXPECT_EQ(d.session.view.cell, (Cell{0, 63}));
  EXPECT_EQ(d.session.view.head, 0) << "the last block of row 0 is head 0, token 7";
}

TEST(ConcatPanel, ACorrectMergeHasNothingToReport) {
  Driver d(twelve_tokens(Merge::transpose));
  EXPECT_FALSE(d.has("concat/report"));
  EXPECT_FALSE(d.has("concat/provenance/values"));
  EXPECT_FALSE(shows_provenance(d));
}

TEST(ConcatPanel, HeadsWithoutRoomForBandsStillShowEveryFeature) {
  Document document = twelve_tokens(Merge::transpose);
  document.request.d_model = 512;
  document.request.heads = 512;
  Driver d(document);
  d.click("concat/picture", 0.9999f, 0.5f);
  EXPECT_EQ(d.session.view.cell->column, 511);
  EXPECT_EQ(d.session.view.head, 511);
}

}  // namespace
}  // namespace headscope::ui

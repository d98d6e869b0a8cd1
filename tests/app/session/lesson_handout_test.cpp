// A recorded lesson as a handout: what each stop shows on paper, and what is said of what it shows elsewhere.
#include "app/session/lesson_handout.h"

#include <gtest/gtest.h>

#include "app/session/lesson_stops.h"

namespace headscope {
namespace {

HandoutStop only_stop(const ViewState& shown) {
  ViewState view;
  view.lesson = {stop_of(shown, "Look.")};
  const Handout handout = handout_of(view, "Cats");
  EXPECT_EQ(handout.title, "Cats");
  EXPECT_EQ(handout.stops.size(), 1u);
  return handout.stops.at(0);
}

TEST(LessonHandout, AStopIsTheMapOfItsHeadWithItsCell) {
  ViewState view;
  view.head = 5;
  view.batch = 1;
  view.stage = view.quantity = StageId::scores;
  view.cell = Cell{4, 2};
  view.range = RangeKind::row;
  view.signed_map = ColorMap::coolwarm;
  const HandoutStop stop = only_stop(view);
  EXPECT_EQ(stop.words, "Look.");
  EXPECT_EQ(stop.elsewhere, "");
  EXPECT_EQ(stop.layer, -1);
  EXPECT_EQ(stop.cell, (StopCell{4, 2}));
  EXPECT_EQ(stop.view.stage, StageId::scores);
  EXPECT_EQ(stop.view.head, 5);
  EXPECT_EQ(stop.view.batch, 1);
  EXPECT_EQ(stop.view.range, RangeKind::row);
  EXPECT_EQ(stop.view.colormap, ColorMap::coolwarm);
  EXPECT_EQ(stop.view.theme, Theme::light);
}

TEST(LessonHandout, ACellOfAnotherStageIsNoneOfTheMap) {
  ViewState view;
  view.stage = StageId::concat;
  view.cell = Cell{1, 40};
  const HandoutStop stop = only_stop(view);
  EXPECT_FALSE(stop.cell.has_value());
  EXPECT_EQ(stop.view.stage, StageId::weights);
  EXPECT_EQ(stop.elsewhere, "In the window this stop shows the stage concat, in the pipeline.");
}

TEST(LessonHandout, EveryOtherViewIsNamedWithItsKey) {
  for (const MainViewWord& row : kMainViewWords) {
    ViewState view;
    view.main_view = row.view;
    view.layers.layer = 1;
    const HandoutStop stop = only_stop(view);
    if (row.view == MainView::layer) {
      EXPECT_EQ(stop.elsewhere, "");
    } else {
      EXPECT_NE(stop.elsewhere.find(way_to(row.view).name), std::string::npos) << row.word;
      EXPECT_NE(stop.elsewhere.find(way_to(row.view).key), std::string::npos) << row.word;
    }
    EXPECT_EQ(stop.layer, row.view == MainView::layers ? 1 : -1) << "the layer that is picked among all";
  }
}

TEST(LessonHandout, WithoutALessonThereIsNoStop) {
  EXPECT_TRUE(handout_of(ViewState(), "").stops.empty());
}

}  // namespace
}  // namespace headscope

// Which score is taken apart.
#include "app/session/score_cell.h"

#include <gtest/gtest.h>

#include "core/attention/engine.h"

namespace headscope {
namespace {

TEST(ScoreCell, IsThePickedOneElseTheStrongestOfTheLastQuery) {
  Request request;
  request.model = "demo:induction";
  request.phrase = "cat box ink fox jam cat";
  request.layer = 1;
  const auto trace = Engine().run(request, {});
  ViewState view;
  view.head = 7;
  EXPECT_EQ(score_cell(*trace, view), (Cell{5, 1})) << "what followed the same word";
  view.cell = Cell{2, 1};
  EXPECT_EQ(score_cell(*trace, view), (Cell{2, 1}));
  view.cell = Cell{5, -1};
  EXPECT_EQ(score_cell(*trace, view), (Cell{5, 1}));
  view.cell = Cell{900, 1};
  EXPECT_EQ(score_cell(*trace, view), (Cell{5, 1})) << "of a longer text";
  view.cell = Cell{0, 40};
  view.stage = StageId::query;
  EXPECT_EQ(score_cell(*trace, view), (Cell{5, 1})) << "a feature of another stage";
  view.head = 99;
  EXPECT_EQ(score_cell(*trace, view).row, 5);
}

}  // namespace
}  // namespace headscope

#include "core/attention/mask_paint.h"

#include <random>

#include "tests/core/attention/hidden_by.h"
#include "tests/core/attention/intervention_cases.h"

namespace headscope {
namespace {

TEST(MaskPaint, ARectangleTakesTheOnesItCoversAway) {
  Request request = with(Request(), {{"paint", "hide@1,1;show@0:3,0:2;hide@4,4"}});
  put_paint(request, {true, 0, 4, 0, 4, true});
  EXPECT_EQ(find_request_option("paint")->get(request), "hide@4:5,4:5;hide@0:4,0:4");
}

TEST(MaskPaint, ErasingLeavesWhatLiesAround) {
  constexpr std::int64_t end = PaintedCells::kToTheEnd;
  Request request;
  request.paint = {{true, 0, end, 2, 3, true}, {false, 0, 4, 0, 4, false}};
  erase_paint(request, {true, 1, 2, 0, 4, true});
  EXPECT_EQ(request.paint, (std::vector<PaintedCells>{
                               {true, 0, 1, 2, 3, true}, {true, 2, end, 2, 3, true}, {false, 0, 4, 0, 4, false}}))
      << "what is switched off stays";
  request.paint = {{true, 0, 3, 0, 3, true}};
  erase_paint(request, {true, 1, 2, 1, 2, true});
  EXPECT_EQ(request.paint.size(), 4u) << "around a hole";
  erase_paint(request, {true, 0, end, 0, end, true});
  EXPECT_TRUE(request.paint.empty());
}

TEST(MaskPaint, RectanglesMakeAnyMaskOfAnyOther) {
  std::mt19937 chance(3);
  for (int round = 0; round < 200; ++round) {
    const auto query_len = static_cast<std::int64_t>(1 + chance() % 6),
               key_len = static_cast<std::int64_t>(1 + chance() % 6);
    const Request base = with(Request(), {{"mask", round % 2 == 0 ? "none" : "causal"}});
    std::vector<std::uint8_t> wanted(static_cast<std::size_t>(query_len * key_len));
    for (std::uint8_t& cell : wanted) cell = chance() % 3 == 0 ? 1 : 0;
    Request painted = base;
    painted.paint = painted_as(cells_of(hidden_by(base, query_len, key_len)), wanted, query_len, key_len);
    EXPECT_EQ(cells_of(hidden_by(painted, query_len, key_len)), wanted) << round;
  }
}

TEST(MaskPaint, APaddedColumnIsOneRectangleForEveryLength) {
  const std::vector<std::uint8_t> base(12, 0), wanted = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  Request request;
  request.paint = painted_as(base, wanted, 3, 4);
  EXPECT_EQ(find_request_option("paint")->get(request), "hide@:,3:4");
}

TEST(MaskPaint, WhatLiesUnderThePaintIsTheMaskItself) {
  const Request request = with(alone_request(), {{"mask", "causal"}, {"paint", "hide@:,0"}});
  const auto trace = run(request, alone_inputs({}), make_reference_backend());
  EXPECT_EQ(cells_without_paint(*trace, 0, 1), cells_of(hidden_by(with(Request(), {{"mask", "causal"}}), 5, 5)));
}

std::string text_of(const Request& request) {
  return find_request_option("paint")->get(request);
}

TEST(MaskPaint, AStrokeIsALineOfSquares) {
  MaskStroke stroke(4, 5);
  stroke.draw_line(0, 0, 3, 3, 1);
  EXPECT_EQ(stroke.cells, (std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}));
  MaskStroke wide(4, 5);
  wide.draw_line(0, 4, 0, 0, 3);
  EXPECT_EQ(wide.cells, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
      << "what lies outside is left out";
  MaskStroke dot(4, 5);
  dot.draw_line(2, 2, 2, 2, 2);
  EXPECT_EQ(dot.cells, (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(MaskPaint, ALineHasNoGapsInAnyDirection) {
  for (std::int64_t to = 0; to < 81; ++to) {
    MaskStroke stroke(9, 9);
    stroke.draw_line(4, 4, to / 9, to % 9, 1);
    std::int64_t painted = 0;
    for (const std::uint8_t cell : stroke.cells) painted += cell;
    EXPECT_EQ(painted, std::max(std::abs(to / 9 - 4), std::abs(to % 9 - 4)) + 1) << to;
    EXPECT_EQ(stroke.cells[40], 1);
    EXPECT_EQ(stroke.cells[static_cast<std::size_t>(to)], 1);
  }
}

TEST(MaskPaint, StrokesAreKeptAsFewRectangles) {
  Request request;
  MaskStroke square(6, 6);
  square.draw_line(1, 1, 1, 4, 3);
  put_stroke(request, square, true);
  EXPECT_EQ(text_of(request), "hide@0:3,0:6");
  MaskStroke below(6, 6);
  below.draw_line(4, 1, 4, 4, 3);
  put_stroke(request, below, true);
  EXPECT_EQ(text_of(request), "hide@0:6,0:6") << "what joins becomes one";
  MaskStroke column(6, 6);
  column.draw_line(0, 2, 5, 2, 1);
  put_stroke(request, column, false);
  EXPECT_EQ(text_of(request), "hide@0:6,0:6;show@0:6,2:3") << "three would be more";
}

TEST(MaskPaint, OpenEndsAndTermsThatAreOffStayAsTheyAre) {
  Request request = with(Request(), {{"paint", "hide@:,0;hide@1:2,1:2"}});
  request.paint[1].on = false;
  const std::vector<PaintedCells> before = request.paint;
  MaskStroke stroke(4, 4);
  stroke.draw_line(0, 3, 3, 3, 1);
  put_stroke(request, stroke, true);
  ASSERT_EQ(request.paint.size(), 3u);
  EXPECT_EQ(request.paint[0], before[0]);
  EXPECT_EQ(request.paint[1], before[1]);
}

TEST(MaskPaint, AnyStrokesHideWhatTheyWentOver) {
  std::mt19937 chance(11);
  for (int round = 0; round < 60; ++round) {
    Request request = with(Request(), {{"mask", round % 2 == 0 ? "none" : "causal"}});
    if (round % 3 == 0) request = with(request, {{"paint", "show@:,1;hide@2,:"}});
    std::vector<std::uint8_t> expected = cells_of(hidden_by(request, 7, 6));
    const std::size_t terms = request.paint.size();
    std::size_t runs = 0;
    for (int k = 0; k < 5; ++k) {
      MaskStroke stroke(7, 6);
      const auto place = [&](std::int64_t count) { return static_cast<std::int64_t>(chance()) % count; };
      stroke.draw_line(place(7), place(6), place(7), place(6), 1 + place(3));
      const bool hides = chance() % 2 == 0;
      put_stroke(request, stroke, hides);
      for (std::size_t cell = 0; cell < expected.size(); ++cell) {
        if (stroke.cells[cell] != 0) expected[cell] = hides ? 1 : 0;
        runs += stroke.cells[cell];
      }
      ASSERT_EQ(cells_of(hidden_by(request, 7, 6)), expected) << round << ' ' << k;
    }
    EXPECT_LE(request.paint.size(), terms + std::min<std::size_t>(runs, 42));
  }
}

}  // namespace
}  // namespace headscope

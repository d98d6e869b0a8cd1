#include "core/attention/mask_rows.h"

#include <random>

#include "tests/core/attention/intervention_cases.h"

namespace headscope {
namespace {

HiddenCells hidden_by(const Request& request, std::int64_t query_len, std::int64_t key_len) {
  return build_mask(request, {}, 1, 1, query_len, key_len, false).hidden;
}

std::vector<std::uint8_t> cells_of(const HiddenCells& hidden) {
  std::vector<std::uint8_t> cells;
  for (std::int64_t i = 0; i < hidden.query_len(); ++i) {
    for (std::int64_t j = 0; j < hidden.key_len(); ++j) cells.push_back(hidden.hidden(0, 0, i, j) ? 1 : 0);
  }
  return cells;
}

TEST(MaskRows, EveryRowIsJudged) {
  const Request request = with(Request(), {{"mask", "causal"}, {"paint", "hide@1,:;show@2,4"}});
  const auto rows = mask_rows(hidden_by(request, 5, 5), 0, 0, 0, false);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(verdict_text(rows[0], request, true), "sees 1");
  EXPECT_EQ(verdict_text(rows[1], request, true), "hidden whole: NaN");
  EXPECT_EQ(verdict_text(rows[2], request, true), "leaks the future: 1 later");
  EXPECT_EQ(verdict_text(rows[2], request, false), "sees 4, 1 later");
  EXPECT_EQ(verdict_text(rows[1], with(request, {{"mask-fill", "-1e20"}}), true), "hidden whole: uniform by -1e+20");
  EXPECT_EQ(verdict_text(rows[1], with(request, {{"fully-masked", "zero"}}), true), "hidden whole: zeros");
  EXPECT_EQ(verdict_text(rows[1], with(request, {{"fully-masked", "uniform"}}), true), "hidden whole: uniform");
}

TEST(MaskRows, ARectangleTakesTheOnesItCoversAway) {
  Request request = with(Request(), {{"paint", "hide@1,1;show@0:3,0:2;hide@4,4"}});
  put_paint(request, {true, 0, 4, 0, 4, true});
  EXPECT_EQ(find_request_option("paint")->get(request), "hide@4:5,4:5;hide@0:4,0:4");
}

TEST(MaskRows, RectanglesMakeAnyMaskOfAnyOther) {
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

TEST(MaskRows, APaddedColumnIsOneRectangleForEveryLength) {
  const std::vector<std::uint8_t> base(12, 0), wanted = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  Request request;
  request.paint = painted_as(base, wanted, 3, 4);
  EXPECT_EQ(find_request_option("paint")->get(request), "hide@:,3:4");
}

TEST(MaskRows, WhatLiesUnderThePaintIsTheMaskItself) {
  const Request request = with(alone_request(), {{"mask", "causal"}, {"paint", "hide@:,0"}});
  const auto trace = run(request, alone_inputs({}), make_reference_backend());
  EXPECT_EQ(cells_without_paint(*trace, 0, 1), cells_of(hidden_by(with(Request(), {{"mask", "causal"}}), 5, 5)));
}

}  // namespace
}  // namespace headscope

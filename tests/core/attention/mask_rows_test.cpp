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

}  // namespace
}  // namespace headscope

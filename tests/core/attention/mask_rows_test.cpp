#include "core/attention/mask_rows.h"

#include <random>

#include "tests/core/attention/hidden_by.h"
#include "tests/core/attention/intervention_cases.h"

namespace headscope {
namespace {

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

// The numbers in the cells of the view 'sweep'.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "app/session/session.h"
#include "core/picture/cell_numbers.h"
#include "core/sweep/sweep.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(SweepCells, HaveTheSameDigitsOnBothSidesOfZero) {
  Driver d(open_document("demo:induction", Request(), ViewState()));
  const auto type = [&](const char* phrase) {
    d.session.draft.phrase = phrase;
    d.step(4);
  };
  type("cat ink box fox jam cat");
  d.key(KeyName::d, true, true);  // pins it
  type("cat box ink fox jam cat");
  d.key(KeyName::r, true, true);
  d.step(4);
  const SweepQuestion question{d.trace().request, d.session.pinned()->request, "logit:ink-box", SweepPatch::heads, {}};
  const Sweep known = sweep({}, question, CancelToken());
  std::set<std::size_t> decimals;
  int positive = 0, negative = 0;
  for (const SweepCell& cell : known.cells) {
    const Rect place = d.rect(fmt::format("sweep/cell/{},{}", cell.layer, *cell.head));
    const double change = cell.value - known.unpatched;
    std::string words;
    for (const DrawnText& text : d.texts) {
      if (place.contains(text.at)) words = text.words;
    }
    if (words.empty()) {
      EXPECT_LT(std::fabs(change), 0.005) << "blank is below half a unit";
      continue;
    }
    decimals.insert(words.size() - words.find('.'));
    EXPECT_EQ(words.starts_with("\u2212"), change < 0) << words;
    ++(change < 0 ? negative : positive);
  }
  EXPECT_EQ(decimals.size(), 1u);
  EXPECT_GT(positive, 0);
  EXPECT_GT(negative, 0);
  const bool explained = std::any_of(d.texts.begin(), d.texts.end(), [](const DrawnText& text) {
    return text.words.find(kBlankWords) != std::string::npos;
  });
  EXPECT_TRUE(explained);
}

}  // namespace
}  // namespace headscope::ui

// How lengths, sizes of letters and ranges are spelled in VIEW.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/picture/view_options.h"

namespace headscope {
namespace {

ViewSpec numbers_with(const std::string& option, const std::string& text) {
  ViewSpec view;
  find_view_option(option)->set(view, text);
  return view;
}

ViewSpec read_back(const ViewSpec& view) {
  return *parse_session(session_json(Request(), view), "the session").view;
}

TEST(ViewOptionNumbers, AWidthOnPaperKeepsItsUnitInSessionFiles) {
  for (const char* text : {"85mm", "8.5cm", "3.35in", "241pt"}) {
    const ViewSpec view = numbers_with("width", text);
    EXPECT_EQ(find_view_option("width")->get(view), text);
    EXPECT_FALSE(view.width.has_value());
    EXPECT_TRUE(read_back(view) == view) << text;
  }
  ViewSpec view = numbers_with("width", "85mm");
  find_view_option("width")->set(view, "900");
  EXPECT_TRUE(view == numbers_with("width", "900")) << "the last one counts";
  for (const char* text : {"mm", "-85mm", "85 m", "1e999mm", "nanmm", "8.5", "", "0mm"}) {
    EXPECT_THROW(numbers_with("width", text), UsageError) << text;
  }
  EXPECT_TRUE(numbers_with("font-size", "8pt") == numbers_with("font-size", "8"));
  EXPECT_THROW(numbers_with("font-size", "0.5"), UsageError);
}

TEST(ViewOptionNumbers, ARangeIsSpelledInPlainDecimalsThatReadBack) {
  const ViewOption& range = *find_view_option("range");
  const std::vector<std::pair<double, std::string>> lows = {
      {0.0001, "0.0001,1"}, {0.1F, "0.10000000149011612,1"}, {-250000, "-250000,1"}, {1e-12, "1e-12,1"}};
  for (const auto& [low, text] : lows) {
    ViewSpec view, read;
    view.range = RangeKind::fixed;
    view.range_low = low;
    view.range_high = 1;
    EXPECT_EQ(range.get(view), text);
    range.set(read, text);
    EXPECT_EQ(read, view) << text;
  }
}

}  // namespace
}  // namespace headscope

// What every view says of the cells of its maps.
#include "app/ui/map/heatmap_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "app/ui/main_view.h"
#include "core/picture/cell_numbers.h"
#include "core/request/mask.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr double kNumbersFrom = 24;  // pixels a cell

// Whether the picture is one whose cells have numbers.
bool writes_numbers(const HeatmapSpec& spec, double scale) {
  return spec.grid && spec.rows > 0 && spec.columns > 0 && spec.width / spec.columns >= kNumbersFrom * scale &&
         spec.height / spec.rows >= kNumbersFrom * scale;
}

// Whether a number in sight is so small beside the largest that no digit of it is written: pictures have at most three.
bool holds_blanks(const HeatmapSpec& spec) {
  const auto rows = static_cast<std::int64_t>(spec.rows), columns = static_cast<std::int64_t>(spec.columns);
  const auto first = static_cast<std::int64_t>(spec.row0), left = static_cast<std::int64_t>(spec.column0);
  double largest = 0, least = HUGE_VAL;
  for (std::int64_t row = first; row < first + rows; ++row) {
    for (std::int64_t column = left; column < left + columns; ++column) {
      const double value = std::fabs(static_cast<double>(spec.matrix.at({row, column})));
      if (!std::isfinite(value)) continue;
      largest = std::max(largest, value);
      if (spec.mask == nullptr || !spec.mask->hidden.hidden(spec.batch, spec.head, row, column)) {
        least = std::min(least, value);
      }
    }
  }
  return largest > 0.1 && least < 1e-4 * largest;
}

bool says_blank(const Driver& d) {
  return std::any_of(d.texts.begin(), d.texts.end(), [](const DrawnText& text) {
    return text.words.find(std::string(kBlankWords).substr(1)) != std::string::npos;
  });
}

TEST(HeatmapView, EveryViewWithBlankCellsSaysWhatTheyHold) {
  std::set<MainView> with_blanks;
  for (const float scale : {1.0f, 2.0f}) {
    Request request;
    request.model = "demo:stories";
    request.phrase = "the cat sat on it";
    Driver d(open_document("demo:stories", request, ViewState()), static_cast<int>(1280 * scale),
             static_cast<int>(800 * scale), scale);
    for (const MainViewInfo& info : main_views()) {
      SCOPED_TRACE(std::string(info.name) + " at scale " + std::to_string(scale));
      d.session.view.main_view = info.view;
      d.step(3);
      d.textures.of_frame.clear();
      d.step(1);
      const bool blanks =
          std::any_of(d.textures.of_frame.begin(), d.textures.of_frame.end(), [&](const HeatmapSpec& spec) {
            return !spec.matrix.empty() && writes_numbers(spec, static_cast<double>(scale)) && holds_blanks(spec);
          });
      if (!blanks || !d.has("map/numbers")) continue;  // bands of colour have no numbers
      with_blanks.insert(info.view);
      EXPECT_TRUE(says_blank(d));
    }
  }
  EXPECT_GE(with_blanks.size(), 4U) << "the test sees maps with such cells";
}

TEST(HeatmapView, WithoutBlankCellsNothingIsSaidOfThem) {
  Driver d(phrase_document("a b"));  // two weights near a half each
  d.session.view.main_view = MainView::mask;
  d.step(3);
  EXPECT_FALSE(says_blank(d));
}

}  // namespace
}  // namespace headscope::ui

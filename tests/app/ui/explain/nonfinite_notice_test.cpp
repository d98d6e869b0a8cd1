// A result with NaN: the bar says where it begins, and leads there.
#include "app/ui/explain/nonfinite_notice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "core/io/npy.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class NonfiniteNotice : public ::testing::Test {
 protected:
  // Attention alone whose query 2 and key 1 of head 1 have products that pass the largest float where `large`.
  Document document(bool large) const {
    Document made;
    const auto write = [&](const char* name, int row) {
      Tensor tensor = Tensor::zeros({1, 2, 3, 4}, {Axis::batch, Axis::head, Axis::position, Axis::feature});
      for (std::int64_t k = 0; k < tensor.size(); ++k) tensor.mutable_data()[k] = 0.01f * static_cast<float>(k % 7);
      for (int d = 0; large && row >= 0 && d < 4; ++d) tensor.mutable_data()[(3 + row) * 4 + d] = 1e19f;
      std::ofstream out(folder_ / name, std::ios::binary);
      write_npy(out, tensor);
      return folder_ / name;
    };
    made.request.query = write("query.npy", 2);
    made.request.key = write("key.npy", 1);
    made.request.value = write("value.npy", -1);
    return made;
  }
  // Whether the bar comes; a thread looks for the number.
  static bool comes(Driver& d, int looks = 200) {
    for (int k = 0; k < looks; ++k) {
      d.wait(0.2);
      if (d.has("notice/nonfinite")) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  TemporaryFolder folder_;
};

TEST_F(NonfiniteNotice, SaysWhereItBeginsAndLeadsThere) {
  Driver d(document(true));
  ASSERT_TRUE(comes(d));
  const auto says = [&](const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("First NaN."));
  EXPECT_TRUE(says("raw_scores[0, 1, 2, 1] is inf: the sum of 4 products passes 3.4e38"));
  d.click("notice/nonfinite/button");
  d.step(3);
  EXPECT_EQ(d.session.view.stage, StageId::raw_scores);
  EXPECT_EQ(d.session.view.head, 1);
  EXPECT_EQ(d.session.view.cell, (Cell{2, 1}));
}

TEST_F(NonfiniteNotice, RowsThatSeeNoKeyHaveTheirOwnBarAlone) {
  Document masked = document(false);
  masked.request.paint = {PaintedCells{}};
  masked.request.paint[0].hides = true;
  masked.request.paint[0].query_begin = 1;
  masked.request.paint[0].query_end = 2;
  masked.request.paint[0].key_end = 3;
  Driver d(masked);
  d.step(4);
  EXPECT_EQ(d.trace().fully_masked_rows, 2);
  EXPECT_TRUE(d.has("notice/rows"));
  EXPECT_FALSE(comes(d, 20));
}

TEST_F(NonfiniteNotice, FiniteNumbersHaveNone) {
  Driver d(document(false));
  d.step(4);
  EXPECT_FALSE(d.has("notice/nonfinite"));
}

}  // namespace
}  // namespace headscope::ui

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

TEST(Figure, refuses_what_the_trace_does_not_have) {
  const auto trace = small_trace(3);
  ViewSpec view = view_of(ViewKind::head);
  view.head = 4;
  EXPECT_NE(refusal(*trace, view).find("--head: 4"), std::string::npos);
  view.head = -1;
  EXPECT_NE(refusal(*trace, view).find("--head"), std::string::npos);
  EXPECT_NE(refusal(*trace, view_of(ViewKind::stage, StageId::key_input)).find("no stage key_input"),
            std::string::npos);
  EXPECT_NE(refusal(*trace, view_of(ViewKind::stage, StageId::dropped_weights)).find("dropped_weights"),
            std::string::npos);
  EXPECT_NE(refusal(*trace, view_of(ViewKind::heads, StageId::concat)).find("--view stage"), std::string::npos);
}

TEST(Figure, refuses_sizes_that_cannot_be_drawn_before_drawing) {
  const auto trace = small_trace(300);
  ViewSpec view = view_of(ViewKind::head);
  view.cell = 200;
  EXPECT_NE(refusal(*trace, view).find("16384"), std::string::npos);
  EXPECT_THROW(figure_size(*trace, view), UsageError);
  view.cell.reset();
  view.width = 60;
  EXPECT_NE(refusal(*trace, view).find("--width: 60"), std::string::npos);
  view.width = 16385;
  EXPECT_NE(refusal(*trace, view).find("--width"), std::string::npos);
  view = view_of(ViewKind::heads);
  view.width = 500;
  view.cell = 34;
  EXPECT_NE(refusal(*trace, view).find("--cell 34"), std::string::npos);
  for (const int cell : {0, -5, 5000}) {
    view.cell = cell;
    EXPECT_NE(refusal(*trace, view).find("--cell"), std::string::npos);
  }
  view.cell.reset();
  for (const double scale : {0.0, -1.0, std::nan(""), 1e9}) {
    view.scale = scale;
    EXPECT_NE(refusal(*trace, view).find("scale"), std::string::npos);
  }
}

// The smallest width that a refusal names must then be enough.
TEST(Figure, the_width_that_a_refusal_names_is_enough) {
  for (const int tokens : {1, 12, 300}) {
    const auto trace = small_trace(tokens);
    for (const ViewKind kind : {ViewKind::heads, ViewKind::head, ViewKind::concat}) {
      ViewSpec view = view_of(kind);
      view.width = 30;
      for (int tries = 0; tries < 4; ++tries) {
        const std::string sentence = refusal(*trace, view);
        if (sentence.empty()) break;
        const std::size_t at = sentence.find_last_of(' ');
        view.width = std::stoi(sentence.substr(at + 1));
      }
      EXPECT_EQ(refusal(*trace, view), "") << tokens;
    }
  }
}

}  // namespace
}  // namespace headscope

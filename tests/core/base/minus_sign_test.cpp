#include "core/base/minus_sign.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(MinusSign, stands_for_the_signs_of_numbers) {
  EXPECT_EQ(with_minus_signs("-0.5"), "\u22120.5");
  EXPECT_EQ(with_minus_signs("-.5 · (-3) + -1.25e-07"), "\u2212.5 · (\u22123) + \u22121.25e\u221207");
  EXPECT_EQ(with_minus_signs("4e-05"), "4e\u221205");
  EXPECT_EQ(with_minus_signs("= -inf, [-1, -2]"), "= \u2212inf, [\u22121, \u22122]");
}

TEST(MinusSign, leaves_hyphens_of_names_and_ranges) {
  for (const char* text : {"mask-order", "softmax-over-queries", "h-1", "2-3", "2026-11-21", "--mask-fill", "a - b",
                           "-", "", "e-3", "double-e-4x", "sha-256", "it - 2", "x_-1", "é-1"}) {
    EXPECT_EQ(with_minus_signs(text), text);
  }
}

TEST(MinusSign, bytes_that_are_no_text_stay) {
  const std::string odd("\xFF-1\0-2", 6);
  EXPECT_EQ(with_minus_signs(odd), std::string("\xFF-1\0", 4) + "\u22122");
}

}  // namespace
}  // namespace headscope

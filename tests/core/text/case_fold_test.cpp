#include "core/text/case_fold.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(CaseFold, MakesOneOfTextsThatDifferInCaseAndAccents) {
  for (const char* text : {"École", "ÉCOLE", "ecole", "E\u0301cole"}) EXPECT_EQ(case_folded(text), "ecole") << text;
  EXPECT_EQ(case_folded("Straße"), case_folded("STRASSE"));
  EXPECT_EQ(case_folded("ΣΊΣΥΦΟΣ"), case_folded("σίσυφος"));
  EXPECT_EQ(case_folded("ПРИВЕТ"), "привет");
  EXPECT_EQ(case_folded("İstanbul"), "istanbul");
  EXPECT_EQ(case_folded("猫"), "猫");
}

TEST(CaseFold, KeepsBytesThatAreNoText) {
  EXPECT_EQ(case_folded("A\xFFZ"), "a\xFFz");
  EXPECT_EQ(case_folded(""), "");
}

}  // namespace
}  // namespace headscope

#include "core/picture/text/built_in_font.h"

#include <gtest/gtest.h>

#include "core/io/mapped_file.h"
#include "core/picture/text/text_fonts.h"

namespace headscope {
namespace {

TEST(BuiltInFont, can_be_opened_like_a_file_and_is_a_font) {
  if (built_in_font_path().empty()) GTEST_SKIP() << "this program was built without a font of its own";
  const auto file = MappedFile::open(built_in_font_path());
  ASSERT_GT(file->bytes().size(), 10000U);
  EXPECT_EQ(std::to_integer<int>(file->bytes()[0]), 0) << "TrueType begins with 00 01 00 00";
  EXPECT_EQ(std::to_integer<int>(file->bytes()[1]), 1);
}

TEST(BuiltInFont, is_not_used_where_fonts_are_installed) {
  EXPECT_FALSE(draws_with_built_in_font());
}

}  // namespace
}  // namespace headscope

#include "core/base/words.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace headscope {
namespace {

using Words = std::vector<std::string_view>;

TEST(Words, AreWhatBlanksPart) {
  EXPECT_EQ(words_of("to be  or\tnot\n"), (Words{"to", "be", "or", "not"}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of(" \t\r\n"), Words{});
  EXPECT_EQ(words_of("one"), Words{"one"});
}

TEST(Words, UnicodesBlanksAndPythonsSeparatorsPartToo) {
  EXPECT_EQ(words_of("a\xC2\xA0"
                     "b\xE3\x80\x80"
                     "c"),
            (Words{"a", "b", "c"}));  // no-break space, ideographic space
  EXPECT_EQ(words_of("a\x1C"
                     "b\x1F"
                     "c"),
            (Words{"a", "b", "c"}));
  EXPECT_EQ(words_of("a\xE2\x80\x8B"
                     "b")
                .size(),
            1U)
      << "a zero width space is no white space";
}

TEST(Words, InvalidBytesArePartOfAWord) {
  EXPECT_EQ(words_of("\xFF x\xE2\x80"), (Words{"\xFF", "x\xE2\x80"}));
}

TEST(Words, AreViewsIntoTheText) {
  const std::string_view text = "ab cd";
  EXPECT_EQ(words_of(text)[1].data(), text.data() + 3);
}

}  // namespace
}  // namespace headscope

#include "core/generate/growing_text.h"

#include <gtest/gtest.h>

#include "core/base/utf8.h"

namespace headscope {
namespace {

const std::string kTokenizers = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/tokenizers/";
constexpr const char* kReplaced = "\xEF\xBF\xBD";

// Every part is whole characters, and all parts together are the text.
std::string expect_parts(GrowingText& text, const std::vector<std::int64_t>& ids) {
  std::string parts;
  for (const std::int64_t id : ids) {
    const std::string part = text.add(id);
    EXPECT_TRUE(is_valid_utf8(part)) << part;
    EXPECT_EQ(part.find(kReplaced), std::string::npos) << "the character may still be completed";
    parts += part;
  }
  const std::string rest = text.rest();
  EXPECT_TRUE(is_valid_utf8(rest));
  EXPECT_EQ(parts + rest, text.text());
  return parts;
}

TEST(GrowingText, CharactersOfSeveralTokensComeWhole) {
  for (const char* name : {"byte_level", "byte_pieces"}) {
    const auto tokenizer = load_tokenizer(kTokenizers + name);
    const std::string phrase = "a\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x99\x82 tail";
    const std::vector<std::int64_t> ids = tokenizer->tokenize(phrase).ids;
    ASSERT_GT(ids.size(), 10u) << "spelled in bytes";
    GrowingText text(tokenizer);
    EXPECT_EQ(expect_parts(text, ids), tokenizer->decode(ids)) << "nothing is left to the end";

    // The same cut at every token: what is no whole character is replaced at the end, and not before.
    for (std::size_t count = 0; count <= ids.size(); ++count) {
      const std::vector<std::int64_t> some(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count));
      GrowingText cut(tokenizer);
      expect_parts(cut, some);
      EXPECT_EQ(cut.text(), tokenizer->decode(some));
    }
  }
}

TEST(GrowingText, WordsHaveBlanksBetweenThem) {
  const auto tokenizer = load_tokenizer(std::string(HEADSCOPE_SOURCE_DIR) + "/assets/demos/induction");
  GrowingText text(tokenizer);
  EXPECT_EQ(text.add(*tokenizer->id_of("cat")), "cat");
  EXPECT_EQ(text.add(*tokenizer->id_of("box")), " box");
  EXPECT_EQ(text.rest(), "");
  EXPECT_EQ(text.text(), "cat box");
}

TEST(GrowingText, IdsBeyondTheTokenizerAndWithoutOneAreShown) {
  const auto tokenizer = load_tokenizer(std::string(HEADSCOPE_SOURCE_DIR) + "/assets/demos/induction");
  GrowingText padded(tokenizer);
  expect_parts(padded, {*tokenizer->id_of("cat"), 5000, *tokenizer->id_of("box")});
  EXPECT_EQ(padded.text(), "cat#5000box");

  GrowingText none(nullptr);
  EXPECT_EQ(none.add(12), "12");
  EXPECT_EQ(none.add(3), " 3");
  EXPECT_EQ(none.rest(), "");
  EXPECT_EQ(none.text(), "12 3");
  EXPECT_EQ(GrowingText(nullptr).text(), "");
}

}  // namespace
}  // namespace headscope

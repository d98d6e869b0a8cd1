#include "core/io/json_cursor.h"
#include "core/io/json_text.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

TEST(JsonCursor, ReadsWhatStandsThere) {
  JsonCursor cursor(R"( { "a" : [ "x\n\u00e9\ud83d\ude00" , -1.5e1, 7 ] , "b": {} , "c": [] } )", "f");
  ASSERT_EQ(cursor.kind(), JsonValue::Kind::object);
  std::string text;
  ASSERT_TRUE(cursor.enter('{'));
  cursor.read_key(text);
  EXPECT_EQ(text, "a");
  ASSERT_TRUE(cursor.enter('['));
  cursor.read_string(text);
  EXPECT_EQ(text, "x\n\xC3\xA9\xF0\x9F\x98\x80");
  ASSERT_TRUE(cursor.next(']'));
  EXPECT_EQ(cursor.read_number(), -15);
  ASSERT_TRUE(cursor.next(']'));
  EXPECT_EQ(cursor.read_integer(0, 7), 7);
  EXPECT_FALSE(cursor.next(']'));
  ASSERT_TRUE(cursor.next('}'));
  cursor.read_key(text);
  EXPECT_FALSE(cursor.enter('{'));
  ASSERT_TRUE(cursor.next('}'));
  cursor.read_key(text);
  EXPECT_FALSE(cursor.enter('['));
  EXPECT_FALSE(cursor.next('}'));
  cursor.finish();
}

TEST(JsonCursor, MembersAreFoundInAnyOrder) {
  JsonCursor cursor(R"({"a": {"deep": [1, {"x": null}]}, "b": [true, false, "\""]})", "f");
  const auto members = cursor.read_members();
  cursor.finish();
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[1].key, "b");
  const JsonValue value = JsonCursor(members[1].value).read_value();
  ASSERT_EQ(value.items.size(), 3u);
  EXPECT_TRUE(value.items[0].truth);
  EXPECT_FALSE(value.items[1].truth);
  EXPECT_EQ(value.items[2].text, "\"");
  EXPECT_EQ(JsonCursor(members[0].value).read_value().find("deep")->items[0].text, "1");
}

TEST(JsonCursor, TakesExactlyWhatTheStandardAllows) {
  for (const char* json : {"0", "-0", "1.5", "1e5", "1E-5", "12", "\"\"", "[]", "{}", "null", "true", "false",
                           " [1,2]\n", "{\"\":0}", "\"\\u0000\"", "\"\\/\"", "1e-999"}) {
    JsonCursor cursor(json, "f");
    EXPECT_NO_THROW(cursor.read_value()) << json;
    EXPECT_NO_THROW(cursor.finish()) << json;
    JsonCursor skipping(json, "f");
    EXPECT_NO_THROW(skipping.skip_value()) << json;
  }
  for (const char* json : {"",
                           " ",
                           "01",
                           "+1",
                           "1.",
                           ".5",
                           "1e",
                           "-",
                           "nul",
                           "True",
                           "'a'",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\t\"",
                           "[1,]",
                           "[1 2]",
                           "[",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{a:1}",
                           "{\"a\":1,}",
                           "{\"a\":1,\"a\":2}",
                           "1 2",
                           "[]]",
                           "NaN"}) {
    const auto read = [&] {
      JsonCursor cursor(json, "f");
      cursor.read_value();
      cursor.finish();
    };
    EXPECT_THROW(read(), Error) << json;
  }
}

TEST(JsonCursor, NumbersThatDoNotFitAreRefused) {
  for (const char* json : {"8", "-1", "1.0", "1e0", "99999999999999999999", "\"1\"", "null"}) {
    EXPECT_THROW(JsonCursor(json, "f").read_integer(0, 7), Error) << json;
  }
  EXPECT_THROW(JsonCursor("1e999", "f").read_number(), Error);
  EXPECT_EQ(JsonCursor("1e-999", "f").read_number(), 0);
  for (const std::string& large : {std::string("0.1e999"), std::string("-0.5e+400"), std::string("10.5e999"),
                                   "1" + std::string(400, '0') + "e-5", "1" + std::string(400, '0')}) {
    EXPECT_THROW(JsonCursor(large, "f").read_number(), Error) << large;
  }
  EXPECT_EQ(JsonCursor("0." + std::string(400, '0') + "1", "f").read_number(), 0);
  EXPECT_EQ(JsonCursor("0.5", "f").read_number(), 0.5);
}

TEST(JsonCursor, AValueThatIsHeldHasNumbersThatADoubleHolds) {
  EXPECT_EQ(JsonCursor("18446744073709551617", "f").read_value().text, "18446744073709551617");
  EXPECT_EQ(JsonCursor("-0", "f").read_value().text, "0");
  EXPECT_EQ(JsonCursor("-0.0", "f").read_value().text, "-0.0");
  EXPECT_THROW(JsonCursor("[1e999]", "f").read_value(), Error);
  EXPECT_EQ(JsonCursor("1e999", "f").read_number_text(), "1e999");
}

// What the whole text and one that is taken in pieces are refused for is the same, in the same words.
TEST(JsonCursor, WholeTextsAreReadByIt) {
  for (const std::string json :
       {"{", "[1,]", "{\"a\":1,\"b\":{},\"a\":2}", "[1] x", "\"\xFF\"", "\xEF\xBB\xBF[]", "[1e999]"}) {
    const auto pieces = [&] {
      JsonCursor cursor(json, "f");
      cursor.read_value();
      cursor.finish();
    };
    const std::string sentence = refusal_of(pieces);
    EXPECT_EQ(refusal_of([&] { parse_strict_json(json, "f"); }), sentence) << json;
    EXPECT_TRUE(sentence.starts_with("f: ")) << sentence;
  }
}

TEST(JsonCursor, BytesAreCountedFromOne) {
  EXPECT_TRUE(contains(refusal_of([] { JsonCursor("x", "f").read_value(); }), "at byte 1"));
  EXPECT_TRUE(contains(refusal_of([] { JsonCursor(std::string_view("[\0", 2), "f"); }), "a NUL at byte 2"));
  EXPECT_TRUE(contains(refusal_of([] { JsonCursor("[\xFF", "f"); }), "at byte 2"));
}

TEST(JsonCursor, LimitsOfAValueAreItsOwn) {
  EXPECT_NO_THROW(JsonCursor("[[1, {}]]", "f").read_value({.deepest = 3, .values = 4}));
  EXPECT_THROW(JsonCursor("[[1, {}]]", "f").read_value({.deepest = 2}), Error);
  EXPECT_THROW(JsonCursor("[[1, {}]]", "f").read_value({.values = 3}), Error);
}

TEST(JsonCursor, DepthIsBounded) {
  const std::string deep = std::string(100'000, '[');
  EXPECT_THROW(JsonCursor(deep, "f").skip_value(), Error);
  EXPECT_THROW(JsonCursor(deep, "f").read_value(), Error);
  const std::string most = std::string(32, '[') + std::string(32, ']');
  EXPECT_NO_THROW(JsonCursor(most, "f").skip_value());
  EXPECT_NO_THROW(JsonCursor(most, "f").read_value());
}

}  // namespace
}  // namespace headscope

// Files of pairs: both forms, and every refusal with its line.
#include "core/sweep/text_pairs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"

namespace headscope {
namespace {

void expect_pair(const TextPair& pair, const TextPair& wanted) {
  EXPECT_EQ(pair.line, wanted.line);
  EXPECT_EQ(pair.clean, wanted.clean);
  EXPECT_EQ(pair.corrupt, wanted.corrupt);
  EXPECT_EQ(pair.answer, wanted.answer);
  EXPECT_EQ(pair.other, wanted.other);
  EXPECT_EQ(pair.at, wanted.at);
}

TEST(TextPairs, LinesOfJsonAndRowsOfCsvSayTheSame) {
  const std::string json =
      "{\"clean\": \"a b\", \"corrupt\": \"a, \\\"c\\\"\", \"answer\": \" b\", \"other\": 7, \"at\": "
      "-1}\r\n"
      "\n"
      "{\"corrupt\": \"x\\ny\", \"clean\": \"x z\"}";
  const std::string csv =
      "\xEF\xBB\xBF"
      "corrupt,at,clean,other,answer\r\n"
      "\"a, \"\"c\"\"\",-1,a b,7, b\r\n"
      "\"x\ny\",,x z,,\n";
  const auto of_json = parse_text_pairs(json, "x.jsonl", false), of_csv = parse_text_pairs(csv, "x.csv", true);
  ASSERT_EQ(of_json.size(), 2u);
  ASSERT_EQ(of_csv.size(), 2u);
  expect_pair(of_json[0], {1, "a b", "a, \"c\"", " b", "7", -1});
  expect_pair(of_json[1], {3, "x z", "x\ny", "", "", {}});
  expect_pair(of_csv[0], {2, "a b", "a, \"c\"", " b", "7", -1});
  expect_pair(of_csv[1], {3, "x z", "x\ny", "", "", {}});
  EXPECT_EQ(parse_text_pairs("{\"clean\":\"a\",\"corrupt\":\"b\",\"position\":3}", "x", false)[0].at, 3);
}

TEST(TextPairs, WhatIsMalformedIsNamedWithItsLine) {
  const std::string good = "{\"clean\":\"a\",\"corrupt\":\"b\"}\n";
  const auto refused = [](const std::string& text, bool csv, const std::vector<std::string>& parts) {
    try {
      parse_text_pairs(text, "pairs", csv);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      for (const std::string& part : parts) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in " << error.what();
      }
    }
  };
  refused("", false, {"pairs", "no pair"});
  refused("\n \n", false, {"no pair"});
  refused(good + "{\"clean\":\"a\",", false, {"pairs: line 2: "});
  refused(good + "\n\"text\"", false, {"line 3", "a string"});
  refused(good + good + "{\"clean\":\"a\"}", false, {"line 3", "no text corrupt"});
  refused("{\"clean\":\"\",\"corrupt\":\"b\"}", false, {"line 1", "no text clean"});
  refused("{\"clean\":\"a\",\"corrupt\":\"b\",\"answr\":\"c\"}", false, {"line 1", "answr", "answer"});
  refused("{\"clean\":\"a\",\"corrupt\":\"b\",\"clean\":\"c\"}", false, {"line 1"});
  refused("{\"clean\":\"a\",\"corrupt\":3}", false, {"line 1", "a number for corrupt"});
  refused("{\"clean\":\"a\",\"corrupt\":\"b\",\"at\":\"3\"}", false, {"line 1", "a string for at"});
  refused("{\"clean\":\"a\",\"corrupt\":\"b\",\"at\":1.5}", false, {"line 1", "1.5"});
  refused("{\"clean\":\"a\",\"corrupt\":\"b\",\"at\":1,\"position\":1}", false, {"line 1", "position"});
  refused(good + "{\"clean\":\"\xFF\",\"corrupt\":\"b\"}", false, {"line 2", "UTF-8"});
  refused("clean,corrupt\na,b\na\n", true, {"line 3", "1 fields", "2"});
  refused("clean,corrupt\na,\n", true, {"line 2", "no text corrupt"});
  refused("clean,text\na,b\n", true, {"line 1", "text"});
  refused("clean,corrupt,clean\na,b,c\n", true, {"line 1", "twice"});
  refused("clean,corrupt\n\"a,b\n", true, {"line 2", "quote"});
  refused("clean,corrupt\na\"b,c\n", true, {"line 2", "quote"});
  refused("clean,corrupt,at\na,b,x\n", true, {"line 2", "'x'"});
  refused("clean,corrupt\n", true, {"no pair"});
  EXPECT_THROW(read_text_pairs("/nowhere/pairs.jsonl"), Error);
  EXPECT_THROW(read_text_pairs("pairs.txt"), UsageError);
}

}  // namespace
}  // namespace headscope

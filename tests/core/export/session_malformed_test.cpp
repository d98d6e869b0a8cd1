// Session files that are refused, and what their errors say.
#include <string>
#include <vector>

#include "core/export/session_file.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

SessionFile parsed(const std::string& json) {
  return parse_session(json, "s.json");
}

struct Malformed {
  std::string json, says;
};

std::string nested(int depth) {
  std::string json;
  for (int i = 0; i < depth; ++i) json += "{\"view\":";
  return json;
}

// What is no JSON, or no object.
std::vector<Malformed> malformed_texts() {
  return {
      {"", "byte"},
      {" ", "byte"},
      {"{", "byte"},
      {"{\"phrase\": \"a\"", "byte"},
      {"{\"phrase\": \"a\",}", "byte"},
      {"{'phrase': 'a'}", "byte"},
      {"{\"phrase\": \"a\"} x", "byte 17"},
      {"{\"phrase\": \"a\"}{}", "byte"},
      {"{\"phrase\": \"a\"} // comment", "byte"},
      {std::string("{\"phrase\": \"a\"}\0", 16), "NUL"},
      {std::string("{\"phrase\": \"a\"}\0garbage", 23), "NUL"},
      {std::string("{\"phrase\": \"a\0b\"}", 17), "NUL"},
      {"\xef\xbb\xbf{\"phrase\": \"a\"}", "byte order mark"},
      {"{\"phrase\": \"a\xff\"}", "UTF-8"},
      {"{\"phrase\": \"\xed\xa0\x80\"}", "UTF-8"},
      {"{\"phrase\": \"\\ud800\"}", "byte"},
      {"{\"phrase\": \"a\nb\"}", "byte"},
      {"{\"phrase\": \"\\u0000\"}", "NUL"},
      {"{\"phrase\": \"a\", \"phrase\": \"b\"}", "twice"},
      {"{\"view\": {\"head\": 1, \"head\": 2}}", "twice"},
      {"[]", "a list"},
      {"\"phrase\"", "a string"},
      {"12", "a number"},
      {"null", "null"},
  };
}

// Options with values that they do not take.
std::vector<Malformed> malformed_options() {
  return {
      {"{\"phrases\": \"a\"}", "\"phrases\": unknown key"},
      {"{\"mask-order\": \"before-scale\"}", "unknown key"},
      {"{\"phrase\": 12}", "\"phrase\": found a number"},
      {"{\"phrase\": null}", "null"},
      {"{\"phrase\": [\"a\"]}", "a list"},
      {"{\"heads\": 7.5}", "'7.5'"},
      {"{\"heads\": 8.0}", "'8.0'"},
      {"{\"heads\": 1e1}", "'1e1'"},
      {"{\"heads\": -2}", "'-2'"},
      {"{\"heads\": 0}", "'0'"},
      {"{\"heads\": true}", "a boolean"},
      {"{\"heads\": []}", "\"heads\""},
      {"{\"heads\": [4, 4]}", "'4,4'"},
      {"{\"heads\": {\"n\": 4}}", "an object"},
      {"{\"seed\": 18446744073709551616}", "18446744073709551616"},
      {"{\"seed\": -1}", "'-1'"},
      {"{\"seed\": 2.9}", "'2.9'"},
      {"{\"scale\": 1e999}", "byte"},
      {"{\"scale\": NaN}", "byte"},
      {"{\"scale\": \"nan\"}", "'nan'"},
      {"{\"heads\": 08}", "byte"},
      {"{\"mask\": \"cusal\"}", "\"mask\": 'cusal' is not a mask; expected none"},
      {"{\"mask\": [\"causal\", null]}", "null"},
      {"{\"mask\": [[\"causal\"]]}", "a list"},
      {"{\"merge\": \"both\"}", "transpose or direct"},
  };
}

// Views that cannot be, and files that would fill the memory.
std::vector<Malformed> malformed_views() {
  return {
      {"{\"view\": 3}", "\"view\": found a number"},
      {"{\"view\": {\"zoom\": 3}}", "\"view.zoom\": unknown key"},
      {"{\"view\": {\"colormap\": \"jet\"}}", "viridis"},
      {"{\"view\": {\"stage\": \"attn\"}}", "'attn'"},
      {"{\"view\": {\"head\": -1}}", "'-1'"},
      {"{\"view\": {\"range\": \"1,0\"}}", "LO below HI"},
      {"{\"view\": {\"range\": [1, 2, 3]}}", "LO below HI"},
      {"{\"view\": {\"cell\": 100000}}", "'100000'"},
      {"{\"view\": {\"scale\": 0}}", "above 0"},
      {"{\"view\": {\"labels\": 1}}", "on or off"},
      {"{\"view\": {\"view\": \"circles\"}}",
       "heads, head, stage, concat, arcs, neurons, layers, difference, sensitivity, text, "
       "explanation, lens, attribution, sweep, scatter, composition or score"},
      {"{\"headscope\": 1}", "a string"},
      {"{\"sha256\": 1}", "a string"},
      {"{\"request\": []}", "an object"},
      {"{\"request\": {\"bogus\": 1}}", "bogus"},
      {"{\"request\": {}, \"heads\": 4}", "beside"},
      {nested(17) + "1", "16 deep"},
      {nested(200000), "16 deep"},
      {std::string(1000000, '['), "16 deep"},
      {std::string((16u << 20) + 1, ' '), "at most"},
      {"<!DOCTYPE html>", "byte"},
  };
}

TEST(SessionMalformed, EveryBrokenSessionIsRefusedWithASentence) {
  for (const std::vector<Malformed>& files : {malformed_texts(), malformed_options(), malformed_views()}) {
    for (const Malformed& file : files) {
      SCOPED_TRACE(file.json.substr(0, 80));
      const std::string sentence = refusal_of([&] { parsed(file.json); });
      EXPECT_TRUE(sentence.starts_with("s.json")) << sentence;
      EXPECT_TRUE(contains(sentence, file.says)) << sentence;
      EXPECT_LT(sentence.size(), 400u) << sentence;
    }
  }
}

TEST(SessionMalformed, AListOfManyValuesIsRefusedBeforeItFillsTheMemory) {
  std::string json = "{\"token_ids\": [0";
  for (int i = 0; i < 1'100'000; ++i) json += ",0";
  EXPECT_TRUE(contains(refusal_of([&] { parsed(json + "]}"); }), "more than"));
}

TEST(SessionMalformed, AnObjectOfManyKeysIsRefusedBeforeItFillsTheMemory) {
  std::string json = "{\"k\": 0";
  for (int i = 0; i < 250'000; ++i) json += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_TRUE(contains(refusal_of([&] { parsed(json + "}"); }), "more than 200000 keys"));
}

TEST(SessionMalformed, FilesOfOtherKindsAreNamed) {
  const IoFolder folder;
  write_bytes(folder.file("a.json"), "");
  EXPECT_TRUE(contains(refusal_of([&] { read_session(folder.file("a.json")); }), "empty"));
  write_bytes(folder.file("b.json"), "<html></html>");
  EXPECT_TRUE(contains(refusal_of([&] { read_session(folder.file("b.json")); }), "HTML"));
  write_bytes(folder.file("c.json"), "\x93NUMPY...");
  EXPECT_TRUE(contains(refusal_of([&] { read_session(folder.file("c.json")); }), ".npy"));
  EXPECT_TRUE(contains(refusal_of([&] { read_session(folder.path()); }), "folder"));
  EXPECT_TRUE(contains(refusal_of([&] { read_session(folder.file("none.json")); }), "No such file"));
}

}  // namespace
}  // namespace headscope

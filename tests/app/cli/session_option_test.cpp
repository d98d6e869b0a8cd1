// --session: the start that later options override.
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class SessionOption : public CommandTest {
 protected:
  nlohmann::json request_of(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"run", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Result result = cli(all);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out)["request"] : nlohmann::json();
  }
};

TEST_F(SessionOption, ASavedRequestRuns) {
  folder_.write("s.json",
                R"({"headscope": "0.1.0", "phrase": "a b c", "heads": 4, "d_model": 16, "mask": "causal,padding:1"})");
  nlohmann::json request = request_of({"--session", "s.json"});
  EXPECT_EQ(request["phrase"], "a b c");
  EXPECT_EQ(request["heads"], 4);
  EXPECT_EQ(request["mask"], "causal,padding:1");
}

TEST_F(SessionOption, OptionsOverrideItWhereverTheyStand) {
  folder_.write("s.json", R"({"phrase": "a b c", "heads": 4, "d_model": 16, "mask": "causal"})");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--session", "s.json", "--heads", "2", "--mask", "none"},
                                             {"--heads", "2", "--mask", "none", "--session", "s.json"}}) {
    nlohmann::json request = request_of(words);
    EXPECT_EQ(request["heads"], 2);
    EXPECT_EQ(request["d_model"], 16);
    EXPECT_FALSE(request.contains("mask"));
  }
}

TEST_F(SessionOption, NoneSwitchesSavedMistakesOff) {
  folder_.write("s.json", R"({"phrase": "a b", "heads": 2, "d_model": 4, "variant": "no-scale", "ablate": ["0.1"]})");
  EXPECT_EQ(request_of({"--session", "s.json"})["variant"], "no-scale");
  const nlohmann::json request = request_of({"--session", "s.json", "--variant", "none", "--ablate", "none"});
  EXPECT_FALSE(request.contains("variant"));
  EXPECT_FALSE(request.contains("ablate"));
  expect_refused(cli({"run", "--session", "s.json", "--variant", "none,no-scale"}), 2, {"--variant", "none"});
  expect_refused(cli({"run", "--session", "s.json", "--ablate", "none,0.1"}), 2, {"--ablate", "none"});
}

TEST_F(SessionOption, AnotherSourceTakesThePlaceOfTheSavedOne) {
  folder_.write("s.json", R"({"phrase": "a b c", "key_phrase": "x y", "heads": 2, "d_model": 4, "input_dim": 6})");
  const std::string x = write_array("x", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::string keys = write_array("keys", {3, 4}, std::vector<float>(12, 1.0f));
  nlohmann::json request = request_of({"--session", "s.json", "--input", x, "--key-input", keys});
  EXPECT_EQ(request["phrase"], "");
  EXPECT_FALSE(request.contains("key_phrase"));
  EXPECT_FALSE(request.contains("input_dim"));
  EXPECT_EQ(request["input"], x);
  folder_.write("i.json", R"({"input": "x.npy", "heads": 2, "d_model": 4})");
  EXPECT_EQ(request_of({"--session", "i.json", "--phrase", "words now"})["phrase"], "words now");
}

TEST_F(SessionOption, FilesBesideAMovedSessionAreFound) {
  write_array("x", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  std::filesystem::create_directory(folder_ / "moved");
  std::filesystem::rename(folder_ / "x.npy", folder_ / "moved/x.npy");
  folder_.write("moved/s.json", R"({"input": "x.npy", "heads": 2, "d_model": 4})");
  EXPECT_EQ(cli({"run", "--session", "moved/s.json"}).code, 0);
}

TEST_F(SessionOption, AManifestIsASessionToo) {
  ASSERT_EQ(cli({"run", "--phrase", "a b", "--heads", "2", "--d-model", "8", "--format", "npy", "--out", "one"}).code,
            0);
  ASSERT_EQ(cli({"run", "--session", "one/manifest.json", "--format", "npy", "--out", "two"}).code, 0);
  EXPECT_EQ(bytes_of(folder_ / "one/output.npy"), bytes_of(folder_ / "two/output.npy"));
}

TEST_F(SessionOption, WhatIsWrongWithItIsSaid) {
  expect_refused(cli({"run", "--session", "missing.json"}), 3, {"missing.json"});
  folder_.write("broken.json", "{\"phrase\": \"a\",");
  expect_refused(cli({"run", "--session", "broken.json"}), 3, {"broken.json"});
  folder_.write("unknown.json", "{\"phrase\": \"a\", \"haeds\": 4}");
  expect_refused(cli({"run", "--session", "unknown.json"}), 3, {"unknown.json", "haeds"});
  folder_.write("type.json", "{\"phrase\": \"a\", \"heads\": {\"a\": 4}}");
  expect_refused(cli({"run", "--session", "type.json"}), 3, {"type.json", "heads"});
  folder_.write("seven.json", "{\"phrase\": \"a\", \"heads\": 7}");
  expect_refused(cli({"run", "--session", "seven.json"}), 2, {"heads", "7"});
  folder_.write("nothing.json", "{}");
  expect_refused(cli({"run", "--session", "nothing.json"}), 2, {"--phrase"});
  expect_refused(cli({"run", "--session", "seven.json", "--session", "nothing.json"}), 2, {"--session"});
}

}  // namespace
}  // namespace headscope

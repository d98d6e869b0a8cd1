// `diagnose` of a dump of a whole model: the first wrong layer and stage, as text and as JSON, and exit codes.
#include <string>
#include <vector>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class DiagnoseDump : public CommandTest {
 protected:
  static std::vector<std::string> request(std::vector<std::string> words) {
    words.insert(words.end(), {"--model", "demo:induction", "--phrase", "cat box ink fox jam cat"});
    return words;
  }
  // What our own model gives with `more`, as a folder.
  void dump(std::vector<std::string> more) {
    more.insert(more.begin(), "run");
    more.insert(more.end(), {"--export", "stream,attention_out,final_norm,logits", "--format", "npy", "--out", "port"});
    const Result made = cli(request(more));
    ASSERT_EQ(made.code, 0) << made.err;
  }
  Result diagnose(std::vector<std::string> more) {
    more.insert(more.begin(), {"diagnose", "--theirs", "port"});
    return cli(request(more));
  }
};

TEST_F(DiagnoseDump, OurOwnNumbersAreEqual) {
  dump({});
  const Result found = diagnose({"--check"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("is equal"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("layers 0 to 1 are equal"), std::string::npos) << found.out;
  const nlohmann::json json = nlohmann::json::parse(diagnose({"--json"}).out);
  EXPECT_EQ(json["verdict"], "equal");
  EXPECT_EQ(json["layer"], nullptr);
  EXPECT_EQ(json["first_wrong"], nullptr);
  EXPECT_EQ(json["layers"].size(), 2U);
}

TEST_F(DiagnoseDump, TheFirstWrongLayerAndStageAreTold) {
  dump({"--variant", "no-scale"});
  const Result found = diagnose({"--check"});
  EXPECT_EQ(found.code, 4) << found.err;
  EXPECT_NE(found.out.find("wrong given their input: layer 0, output"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("no-scale"), std::string::npos) << found.out;
  const Result json_found = diagnose({"--json", "--check"});
  EXPECT_EQ(json_found.code, 4);
  const nlohmann::json json = nlohmann::json::parse(json_found.out);
  EXPECT_EQ(json["layer"], 0);
  EXPECT_EQ(json["first_wrong"]["stage"], "output");
  EXPECT_EQ(json["first_wrong"]["mistakes"], (std::vector<std::string>{"no-scale"}));
  EXPECT_EQ(json["verdict"], "explained");
  EXPECT_EQ(json["explanations"][0]["mistakes"], (std::vector<std::string>{"no-scale"}));
  EXPECT_EQ(json["layers"][1]["mistakes"], (std::vector<std::string>{"no-scale"}));
}

TEST_F(DiagnoseDump, UnknownNamesAreSaid) {
  dump({});
  write_array("port/my_probe", {2}, {1, 2});
  const Result found = diagnose({});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.err.find("my_probe"), std::string::npos) << found.err;
}

TEST_F(DiagnoseDump, WhatDoesNotFitIsRefused) {
  dump({});
  expect_refused(diagnose({"--layout", "bshd"}), 2, {"layout"});
  write_array("port/hidden_states.7", {1, 6, 4}, std::vector<float>(24, 1));
  expect_refused(diagnose({}), 2, {"theirs", "hidden_states.7"});
}

}  // namespace
}  // namespace headscope

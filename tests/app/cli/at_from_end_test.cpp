// `--at -1` counts from the end in every command that takes a place, as the same place counted from the beginning does.
#include <set>
#include <string>
#include <vector>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class AtFromEnd : public CommandTest {};

using Words = std::vector<std::string>;

// A command with a place as it is typed, counted from the end, and the same from the beginning.
struct Case {
  std::string command;
  Words words;
  std::string from_end, from_begin, beyond;
};

const Words kModel = {"--model", "demo:induction", "--phrase", "cat box ink fox jam cat"};

Words with(const Words& first, const Words& more) {
  Words all = first;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Case> cases() {
  const std::string mixture = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/mixtral";
  const Words experts = {"--model", mixture, "--token-ids", "1,3,2,5"};
  return {
      {"explain", with(kModel, {"--stage", "weights"}), "0,-1,-1,-6", "0,7,5,0", "0,-9,0,0"},
      {"explain", with(kModel, {"--stage", "output"}), "0,-2,-1", "0,4,63", "0,-7,0"},
      {"explain", with(kModel, {"--stage", "stream"}), "-1,0,-1,3", "2,0,5,3", "-4,0,0,0"},
      {"explain", with(experts, {"--stage", "router"}), "0,-1,-1", "0,3,4", "0,-5,0"},
      {"sensitivity", with(kModel, {"--stage", "weights"}), "0,0,-1,-2", "0,0,5,4", "0,0,-7,0"},
      {"attribute", with(kModel, {"--token", "box"}), "-1", "5", "-7"},
      {"gradients", with(kModel, {"--metric", "logit:box"}), "-2", "4", "-7"},
      {"score", with(kModel, {"--head", "1"}), "-1,-5", "5,1", "-7,0"},
      {"sweep", with(kModel, {"--patch", "heads", "--metric", "logit:box", "--ablation", "zero"}), "-1", "5", "-7"},
      {"render", with(kModel, {"--view", "attribution", "--token", "box", "--out", "p.svg"}), "-1", "5", "-7"},
      {"render", with(kModel, {"--view", "sensitivity", "--stage", "weights", "--out", "p.svg"}), "0,0,-1,-2",
       "0,0,5,4", "0,0,-7,0"},
      {"render", with(kModel, {"--view", "score", "--head", "1", "--out", "p.svg"}), "-1,-5", "5,1", "-7,0"},
  };
}

TEST_F(AtFromEnd, IsTheSamePlaceAsThatFromTheBeginning) {
  for (const Case& each : cases()) {
    Words words = each.words;
    words.insert(words.begin(), each.command);
    const auto at = [&](const std::string& place) {
      folder_.write("p.svg", "");
      const Result result = cli(with(words, {"--at", place}));
      return std::pair(result, each.command == "render" ? bytes_of(folder_ / "p.svg") : result.out);
    };
    const auto [end, end_text] = at(each.from_end);
    const auto [begin, begin_text] = at(each.from_begin);
    const std::string what = each.command + " --at " + each.from_end;
    ASSERT_EQ(begin.code, 0) << what << ": " << begin.err;
    ASSERT_EQ(end.code, 0) << what << ": " << end.err;
    EXPECT_EQ(end_text, begin_text) << what;
    EXPECT_FALSE(begin_text.empty()) << what;
    const auto [beyond, nothing] = at(each.beyond);
    expect_refused(beyond, 2, {"--at"});
    EXPECT_NE(beyond.err.find("-"), std::string::npos) << beyond.err;
  }
}

TEST_F(AtFromEnd, EveryCommandWithAPlaceIsTestedHere) {
  std::set<std::string> tested;
  for (const Case& each : cases()) tested.insert(each.command);
  for (const char* command :
       {"run",         "render",    "explain",  "info",      "tokenize", "diagnose", "bench",     "compare",
        "sensitivity", "precision", "script",   "attribute", "sweep",    "generate", "scan",      "merge",
        "report",      "doctor",    "circuits", "gradients", "score",    "manual",   "worksheet", "handout"}) {
    const Result help = cli({command, "--help"});
    ASSERT_EQ(help.code, 0) << command << ": " << help.err;
    if (help.out.find("--at ") == std::string::npos) continue;
    EXPECT_EQ(tested.count(command), 1U) << command;
  }
}

TEST_F(AtFromEnd, AWordIsNoPlace) {
  expect_refused(
      cli({"attribute", "--model", "demo:induction", "--phrase", "cat box", "--token", "box", "--at", "last"}), 2,
      {"--at", "'last'", "-1 the last"});
}

}  // namespace
}  // namespace headscope

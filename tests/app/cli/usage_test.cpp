// Words that are no request: help, versions, slips of the finger.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/version.h"
#include "core/request/request_text.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

TEST(Usage, HelpNamesEveryCommand) {
  for (const char* word : {"--help", "-h"}) {
    const Result result = run_cli({word});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    for (const char* name :
         {"run", "render", "explain", "sensitivity", "attribute", "score", "diagnose", "compare", "sweep", "gradients",
          "circuits", "precision", "script", "info", "tokenize", "generate", "bench", "worksheet", "handout"})
      EXPECT_NE(result.out.find(name), std::string::npos);
  }
}

TEST(Usage, VersionIsOneLine) {
  const Result result = run_cli({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, std::string("headscope-cli ") + kVersion + "\n");
}

TEST(Usage, ACommandsHelpListsEveryOption) {
  const Result run = run_cli({"run", "--help"});
  EXPECT_EQ(run.code, 0);
  const Result render = run_cli({"render", "--help"});
  EXPECT_EQ(render.code, 0);
  for (const RequestOption& option : request_options()) {
    const std::string name = std::string("  --") + option.name + " ";
    EXPECT_NE(run.out.find(name), std::string::npos) << name;
    EXPECT_NE(render.out.find(name), std::string::npos) << name;
  }
  for (const char* name : {"--session", "--phrase-file", "--export", "--format", "--out", "--trace", "--json", "--csv",
                           "--region", "--stage-memory"}) {
    EXPECT_NE(run.out.find(std::string("  ") + name), std::string::npos) << name;
  }
  for (const char* name :
       {"--view", "--head", "--stage", "--colormap", "--range", "--log", "--cell", "--labels", "--theme", "--width"}) {
    EXPECT_NE(render.out.find(std::string("  ") + name), std::string::npos) << name;
  }
  EXPECT_EQ(run_cli({"info", "-h"}).code, 0);
}

TEST(Usage, HelpListsTheOptionsOfViewInOrder) {
  const std::string help = run_cli({"render", "--help"}).out;
  std::size_t at = help.find("\nVIEW\n");
  ASSERT_NE(at, std::string::npos);
  const std::size_t end = help.find("\nREQUEST\n");
  for (const char* line : {"--view heads|head|stage|concat|arcs|neurons|layers|difference|sensitivity",
                           "--aggregate none|mean|max|rollout|flow", "--against FILE", "--head H", "--stage STAGE",
                           "--colormap viridis|magma|cividis|gray|icefire|coolwarm", "--range auto|row|fit|LO,HI",
                           "--log", "--cell PIXELS", "--labels on|off", "--theme dark|light", "--width N", "--token I",
                           "--heads-shown all|none|H[,H]", "--hide-below W", "--sentences all|a-a|a-b|b-a|b-b",
                           "--at B,H,I,J", "--by weights|scores"}) {
    const std::size_t found = help.find(std::string("\n  ") + line, at);
    ASSERT_LT(found, end) << line;
    at = found + 1;
  }
  EXPECT_EQ(help.find("--color-bar"), std::string::npos) << "of session files alone";
}

TEST(Usage, EveryOptionOfTheContractIsKnown) {
  // The contract's REQUEST, in its order.
  const std::vector<std::string> names = {
      "phrase",    "token-ids",     "key-phrase",  "input",          "key-input",    "value-input", "query",
      "key",       "value",         "model",       "layer",          "weights",      "qkv-layout",  "heads",
      "kv-heads",  "d-model",       "input-dim",   "batch",          "seed",         "init-gain",   "embedding",
      "position",  "mask",          "mask-kind",   "causal-align",   "mask-order",   "mask-fill",   "fully-masked",
      "scale",     "softcap",       "dropout",     "dropout-seed",   "dropout-mask", "merge",       "variant",
      "ablate",    "freeze",        "scale-query", "scale-key",      "edit",         "paint",       "backend",
      "threads",   "second-phrase", "patch",       "patch-from",     "past",         "key-past",    "set",
      "add",       "project-out",   "value-past",  "softcap-order",  "groups",       "hide-tokens", "renormalise",
      "weighting", "top-p",         "image",       "decoder-phrase", "decoder-ids",  "attention",   "features",
      "layout",    "lengths",       "adapter"};
  for (const std::string& name : names) EXPECT_NE(find_request_option(name), nullptr) << name;
  std::set<std::string> known(names.begin(), names.end());
  for (const RequestOption& option : request_options()) EXPECT_EQ(known.count(option.name), 1u) << option.name;
}

TEST(Usage, HelpFitsATerminal) {
  for (const char* command :
       {"run",   "render",   "explain",   "sensitivity", "attribute", "score",     "diagnose",  "compare",
        "sweep", "circuits", "precision", "script",      "info",      "tokenize",  "generate",  "bench",
        "scan",  "merge",    "report",    "doctor",      "manual",    "gradients", "worksheet", "handout"}) {
    std::istringstream lines(run_cli({command, "--help"}).out);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("  headscope-cli", 0) == 0) continue;  // examples are copied whole
      EXPECT_LE(line.size(), 130u) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
  }
}

TEST(Usage, NoCommandAndUnknownCommandsAreRefused) {
  expect_refused(run_cli({}), 2,
                 {"no command", "expected run, render, explain, sensitivity, attribute, score, diagnose, "});
  expect_refused(run_cli({""}), 2, {"expected run, render, explain, sensitivity, attribute, score, diagnose, "});
  expect_refused(run_cli({"rnu"}), 2, {"rnu", "'run'"});
  expect_refused(run_cli({"--phrase", "a"}), 2,
                 {"--phrase", "expected run, render, explain, sensitivity, attribute, score, diagnose, "});
  expect_refused(run_cli({"Run"}), 2, {"Run"});
}

TEST(Usage, UnknownOptionsAreNamedWithWhatWasMeant) {
  expect_refused(run_cli({"run", "--phrase", "a", "--haeds", "4"}), 2, {"--haeds", "--heads"});
  expect_refused(run_cli({"run", "--phrase", "a", "--qqqqqq"}), 2, {"--qqqqqq", "run --help"});
  expect_refused(run_cli({"run", "--phrase", "a", "-x"}), 2, {"-x"});
  expect_refused(run_cli({"run", "--phrase", "a", "--theme", "dark"}), 2, {"--theme", "render"});
  expect_refused(run_cli({"run", "--phrase", "a", "b"}), 2, {"'b'", "quotes"});
  expect_refused(run_cli({"run", "--phrase", "a", "--haeds=4"}), 2, {"--haeds", "--heads"});
  expect_refused(run_cli({"info", "a.npy", "b.npy"}), 2, {"'b.npy'", "PATH"});
  expect_refused(run_cli({"run", "--phrase", "a", "--", "--heads"}), 2, {"'--'"});
}

TEST(Usage, MissingValuesAreNamed) {
  expect_refused(run_cli({"run", "--phrase", "a", "--heads"}), 2, {"--heads", "nothing"});
  expect_refused(run_cli({"run", "--phrase"}), 2, {"--phrase", "nothing"});
  expect_refused(run_cli({"run", "--phrase", "a", "--json=yes"}), 2, {"--json", "'yes'"});
}

TEST(Usage, ListsAreGivenOnce) {
  expect_refused(run_cli({"run", "--phrase", "a", "--mask", "causal", "--mask", "padding:1"}), 2,
                 {"--mask", "'causal'", "'padding:1'", "commas"});
}

TEST(Usage, ValuesMayFollowAnEqualsSignAndLookLikeOptions) {
  const Result equals = run_cli({"run", "--phrase=a b=c", "--heads=4", "--json"});
  ASSERT_EQ(equals.code, 0) << equals.err;
  EXPECT_EQ(nlohmann::json::parse(equals.out)["tokens"], (std::vector<std::string>{"a", "b=c"}));
  for (const char* phrase : {"--heads", "-1", "--", "--phrase=x", "-h", "[a,b]", "{}", "%%", "'a", "\"", "/tmp"}) {
    const Result result = run_cli({"run", "--model", "seeded", "--phrase", phrase, "--json"});
    ASSERT_EQ(result.code, 0) << phrase << ": " << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["tokens"], std::vector<std::string>{phrase});
  }
}

TEST(Usage, AnEmptyPhraseIsAProblemOfThePhrase) {
  expect_refused(run_cli({"run", "--phrase", ""}), 2, {"phrase"});
  expect_refused(run_cli({"run", "--phrase=", "--mask", "causal"}), 2, {"phrase"});
  expect_refused(run_cli({"run", "--phrase", " \t "}), 2, {"phrase"});
  expect_refused(run_cli({"run"}), 2, {"--phrase"});
  expect_refused(run_cli({"run", "--heads", "4", "--json"}), 2, {"--phrase"});
}

TEST(Usage, WordsThatAreNoUtf8AreRefused) {
  expect_refused(run_cli({"run", "--phrase", "caf\xe9"}), 2, {"phrase", "UTF-8"});
  expect_refused(run_cli({"run", "--\xff", "a"}), 2, {});
  expect_refused(run_cli({"\xff\x1b[31m"}), 2, {});
}

TEST(Usage, AnOptionThatIsGivenTwiceIsRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands = {
      {{"run", "--phrase", "a", "--phrase", "b"}, "--phrase: found twice ('a' and 'b'); expected once"},
      {{"run", "--phrase", "a", "--mask", "causal", "--mask=none"}, "expected once, with commas between several"},
      {{"run", "--phrase", "a", "--json", "--json"}, "--json: found twice; expected once"},
      {{"render", "--phrase", "a", "--out", "a.png", "--out", "b.png"}, "--out: found twice"},
  };
  for (const auto& [words, said] : commands) {
    const Result result = run_cli(words);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace headscope

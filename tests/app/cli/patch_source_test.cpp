// A request with --patch-from carries A: what is saved of it runs without A's file.
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class PatchSource : public CommandTest {
 protected:
  void SetUp() override {
    folder_.write("a.json", R"({"model": "demo:induction", "phrase": "cat ink box fox jam cat"})");
  }
  Result with_b(const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> words = {command, "--model", "demo:induction", "--phrase", "cat box ink fox jam cat"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  // What `run --predict` says of tokens; what is before it tells the time.
  static std::string predictions_in(const Result& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    const std::size_t at = result.out.find("\nposition");
    return at == std::string::npos ? "" : result.out.substr(at);
  }
};

TEST_F(PatchSource, ASessionCarriesAWithinItself) {
  const std::vector<std::string> patch = {"--patch", "1/context:1@A", "--patch-from", "a.json"};
  std::vector<std::string> words = patch;
  words.insert(words.end(), {"--predict", "2", "--out", "patched"});
  const std::string predicted = predictions_in(with_b("run", words));
  words = patch;
  words.insert(words.end(), {"--view", "heads", "--out", "patched.svg"});
  ASSERT_EQ(with_b("render", words).code, 0);
  // The file may be written anew or go.
  folder_.write("a.json", R"({"model": "demo:induction", "phrase": "jam jam jam jam jam jam"})");
  for (const char* session : {"patched/manifest.json", "patched.svg"}) {
    EXPECT_EQ(predictions_in(cli({"run", "--session", session, "--predict", "2"})), predicted) << session;
    EXPECT_NE(predictions_in(cli({"run", "--session", session, "--predict", "2", "--patch-from", "a.json"})), predicted)
        << session;
  }
  ASSERT_EQ(cli({"run", "--session", "patched.svg", "--out", "twice"}).code, 0);
  EXPECT_EQ(manifest("twice")["request"], manifest("patched")["request"]);
}

TEST_F(PatchSource, ARefusalOfACarriedRunNamesIt) {
  folder_.write("s.json", R"({"model": "demo:induction", "phrase": "cat ink", "patch": "context@A", "patch_from":
      {"model": "demo:induction", "phrase": "cat box", "patch": "context@A", "patch_from": "a.json"}})");
  expect_refused(cli({"run", "--session", "s.json"}), 2,
                 {"--patch-from", "A, which the session carries", "patched itself"});
  folder_.write("s.json", R"({"model": "demo:induction", "phrase": "cat ink", "patch_from": {"phrases": "cat"}})");
  expect_refused(cli({"run", "--session", "s.json"}), 3, {"s.json", "phrases"});
}

}  // namespace
}  // namespace headscope

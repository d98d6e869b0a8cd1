// Options that would do nothing are refused by name, and those of a session are no mistake. Every pair of an option and
// a view, and of an option and a kind of request, is in tests/core/picture/figure/views_and_options_test.cpp and
// tests/core/attention/option_scope_test.cpp.
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/io/atomic_file.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class IdleOptions : public CommandTest {
 protected:
  Result drawn(const std::vector<std::string>& more, const std::string& out = "a.svg") {
    std::vector<std::string> words = {"render", "--model", "seeded", "--phrase", "a b c d", "--d-model",
                                      "16",     "--heads", "4",      "--out",    out};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  // What is drawn, without the recipe.
  std::string picture(const std::vector<std::string>& more) {
    const Result result = drawn(more);
    EXPECT_EQ(result.code, 0) << result.err;
    std::string svg = result.code == 0 ? read_small_file(folder_ / "a.svg", 1 << 24) : "";
    const std::size_t recipe = svg.find("<metadata"), end = svg.find("</metadata>");
    EXPECT_LT(recipe, end);
    return end == svg.npos ? "" : svg.erase(recipe, end - recipe);
  }
  void refuses(const std::vector<std::string>& more, const std::vector<std::string>& parts,
               const std::string& out = "none.svg") {
    expect_refused(drawn(more, out), 2, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_ / out));
  }
};

TEST_F(IdleOptions, OfAViewAreRefusedByName) {
  refuses({"--view", "arcs", "--stage", "raw_scores"},
          {"--stage", "--view arcs, where it does nothing", "--view heads, head, stage, concat, layers"});
  refuses({"--aggregate", "mean", "--heads-shown", "0,2"}, {"--heads-shown", "--view layers", "heads, arcs or text"});
  refuses({"--view", "layers", "--head", "3"}, {"--head", "--view layers", "--view head, stage"});
  refuses({"--view", "explanation", "--stage", "weights", "--at", "0,0,2,1", "--range", "row"}, {"--range"});
  refuses({"--stage", "output", "--head", "3"}, {"--head", "a --stage that has heads"});
  refuses({"--view", "neurons", "--top-p", "0.5"}, {"--top-p", "--view neurons"});
  refuses({"--stage", "scores", "--renormalise"}, {"--renormalise", "--view heads of scores"});
  refuses({"--width", "900"}, {"--width", "a page of HTML"}, "none.html");
}

TEST_F(IdleOptions, AtTheirDefaultsAreTaken) {
  EXPECT_EQ(picture({"--view", "arcs", "--stage", "weights", "--labels", "on", "--range", "auto"}),
            picture({"--view", "arcs"}));
  EXPECT_EQ(picture({"--view", "layers", "--head", "0", "--heads-shown", "all"}), picture({"--view", "layers"}));
}

TEST_F(IdleOptions, OneHeadOfArcsAndTextIsTheOneThatIsShown) {
  for (const char* view : {"arcs", "text"}) {
    EXPECT_EQ(picture({"--view", view, "--head", "2"}), picture({"--view", view, "--heads-shown", "2", "--head", "0"}))
        << view;
    refuses({"--view", view, "--head", "2", "--heads-shown", "0,1"}, {"--head", "--heads-shown", "one of both"});
  }
}

// They were chosen for another view.
TEST_F(IdleOptions, OfASessionAreNoMistake) {
  picture({"--stage", "raw_scores", "--head", "3", "--range", "row", "--cell", "40"});
  for (const char* view : {"arcs", "layers", "text", "scatter"}) {
    const Result result = cli({"render", "--session", "a.svg", "--view", view, "--out", "b.svg"});
    EXPECT_EQ(result.code, 0) << view << result.err;
  }
  expect_refused(cli({"render", "--session", "a.svg", "--view", "scatter", "--cell", "40", "--out", "c.svg"}), 2,
                 {"--cell", "--view scatter"});
}

TEST_F(IdleOptions, OfARequestAreRefusedByName) {
  std::vector<std::string> alone = {"run"};
  for (const char* name : {"query", "key", "value"}) {
    alone.insert(alone.end(), {std::string("--") + name, write_array(name, {1, 1, 2, 2}, {1, 2, 3, 4})});
  }
  const auto beside = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_EQ(cli(alone).code, 0);
  EXPECT_EQ(cli(beside(alone, {"--seed", "0", "--init-gain", "1", "--position", "none"})).code, 0);
  for (const auto& [option, value] : {std::pair{"--seed", "3"},
                                      {"--init-gain", "2"},
                                      {"--position", "sinusoidal"},
                                      {"--embedding", "sequence"},
                                      {"--qkv-layout", "blocked"}}) {
    expect_refused(cli(beside(alone, {option, value})), 2, {option, "attention alone"});
  }
  const std::vector<std::string> demo = {"run", "--model", "demo:induction", "--phrase", "cat box ink"};
  expect_refused(cli(beside(demo, {"--seed", "3"})), 2, {"--seed", "the model demo:induction", "--model seeded"});
  // A session of random weights, whose seed says nothing of another model.
  ASSERT_EQ(drawn({"--seed", "3"}).code, 0);
  EXPECT_EQ(cli({"run", "--session", "a.svg", "--model", "demo:induction", "--phrase", "cat box ink"}).code, 0);
}

}  // namespace
}  // namespace headscope

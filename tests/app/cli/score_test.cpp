// Scores taken apart on the command line.
#include <cmath>
#include <fstream>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kInduction = {
    "score", "--model", "demo:induction", "--phrase", "cat box ink fox jam cat", "--layer", "1"};

class Score : public CommandTest {
 protected:
  Result score(const std::vector<std::string>& more) {
    std::vector<std::string> words = kInduction;
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
};

TEST_F(Score, JsonHoldsTheSumBesideTheModelsOwnScore) {
  const Result why = cli({"explain", "--model", "demo:induction", "--phrase", "cat box ink fox jam cat", "--layer", "1",
                          "--stage", "scores", "--at", "0,7,5,1", "--json"});
  ASSERT_EQ(why.code, 0) << why.err;
  const double own = nlohmann::json::parse(why.out)["value"].get<double>();
  for (const char* by : {"components", "heads"}) {
    const Result result = score({"--head", "7", "--at", "5,1", "--by", by, "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const nlohmann::json found = nlohmann::json::parse(result.out);
    EXPECT_EQ(found["total"].get<double>(), own);
    EXPECT_EQ(found["by"], by);
    double sum = 0;
    ASSERT_EQ(found["terms"].size(), found["queries"].size());
    for (const nlohmann::json& row : found["terms"]) {
      ASSERT_EQ(row.size(), found["keys"].size());
      for (const nlohmann::json& term : row) sum += term.get<double>();
    }
    EXPECT_NEAR(sum, found["sum"].get<double>(), 1e-9);
    EXPECT_NEAR(sum, own, 1e-4 * (1 + std::abs(own)));
  }
}

TEST_F(Score, TheTextNamesTheHeadThatWroteTheKey) {
  const Result result = score({"--head", "7", "--at", "5,1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.rfind("score of layer 1, head 7: query 5 'cat', key 1 'box'\n", 0), 0u) << result.out;
  const std::size_t keys = result.out.find("wrote at the key, for all of the query");
  ASSERT_NE(keys, std::string::npos);
  const std::size_t line = result.out.find('\n', keys) + 1;
  EXPECT_NE(result.out.substr(line, 200).find("layer 0, head 5"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("the model's own score"), std::string::npos);
}

TEST_F(Score, TheFileHoldsEveryPair) {
  ASSERT_EQ(score({"--head", "7", "--at", "5,1", "--out", folder_ / "pairs.csv"}).code, 0);
  std::ifstream file(folder_ / "pairs.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "query_part,query_layer,query_head,key_part,key_layer,key_head,value");
  std::size_t lines = 0;
  while (std::getline(file, line)) ++lines;
  const auto found = nlohmann::json::parse(score({"--head", "7", "--at", "5,1", "--json"}).out);
  EXPECT_EQ(lines, found["queries"].size() * found["keys"].size() + 2);
}

TEST_F(Score, RefusesWhatIsNotThere) {
  expect_refused(score({}), 2, {"--head", "missing"});
  expect_refused(score({"--head", "7"}), 2, {"--at", "missing"});
  expect_refused(score({"--head", "8", "--at", "5,1"}), 2, {"--head", "0 to 7"});
  expect_refused(score({"--head", "7", "--at", "5"}), 2, {"--at", "I,J"});
  expect_refused(score({"--head", "7", "--at", "6,1"}), 2, {"--at", "query 6"});
  expect_refused(score({"--head", "7", "--at", "5,1", "--by", "sources"}), 2, {"--by", "components"});
  expect_refused(cli({"score", "--model", "seeded", "--phrase", "a b", "--head", "0", "--at", "1,0"}), 2,
                 {"--model", "one layer"});
  expect_refused(score({"--head", "7", "--at", "5,1", "--edit", "1/key:0,7,1,0=3"}), 2, {"--edit", "key"});
}

}  // namespace
}  // namespace headscope

// What commands say of numbers that are NaN or infinite.
#include <string>
#include <vector>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class FirstNonfinite : public CommandTest {
 protected:
  // Attention alone; with `large` a query and a key of head 1 have products that pass the largest float.
  std::vector<std::string> request(bool large) const {
    const auto write = [&](const char* name, int row) {
      std::vector<float> values;
      for (int k = 0; k < 2 * 40 * 4; ++k) values.push_back(0.01f * static_cast<float>(k % 7));
      for (int d = 0; large && row >= 0 && d < 4; ++d) {
        values[static_cast<std::size_t>((40 + row) * 4 + d)] = 1e19f;
      }
      return write_array(name, {1, 2, 40, 4}, values);
    };
    return {"--query", write("query", 2), "--key", write("key", 1), "--value", write("value", -1)};
  }
  Result run(std::vector<std::string> words, bool large = true) {
    for (const std::string& word : request(large)) words.push_back(word);
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
};

const std::string kSaid =
    "first NaN: raw_scores[0, 1, 2, 1] is inf: the sum of 4 products passes 3.4e38; 1 number of scores, 1 of "
    "masked_scores, 40 of weights, 4 of context, 4 of concat follow";

TEST_F(FirstNonfinite, TheTableCountsThemAndANoteSaysWhereTheyBegin) {
  const std::string text = run({"run"}).out;
  EXPECT_NE(text.find("note: " + kSaid + "\n"), std::string::npos) << text;
  EXPECT_NE(text.find("mean  NaN  inf\n"), std::string::npos) << text;
  const std::size_t weights = text.find("\nweights ");
  ASSERT_NE(weights, std::string::npos);
  const std::string line = text.substr(weights + 1, text.find('\n', weights + 1) - weights - 1);
  EXPECT_NE(line.find(" 40"), std::string::npos) << line;
  const std::string finite = run({"run"}, false).out;
  EXPECT_EQ(finite.find("NaN"), std::string::npos) << finite;
  EXPECT_EQ(run({"run", "--mask", "causal"}, false).out.find("NaN"), std::string::npos) << "what a mask hides is meant";
}

TEST_F(FirstNonfinite, TheManifestHoldsIt) {
  const nlohmann::json manifest = nlohmann::json::parse(run({"run", "--json"}).out);
  ASSERT_EQ(manifest["notices"].size(), 1u) << manifest["notices"];
  EXPECT_EQ(manifest["notices"][0], kSaid);
  EXPECT_EQ(manifest["stages"]["weights"]["nan_count"], 40);
}

TEST_F(FirstNonfinite, ANumberThatIsNoneIsFollowedToWhereItWasMade) {
  const std::string text = run({"explain", "--stage", "context", "--at", "0,1,2,3"}).out;
  EXPECT_NE(text.find("28 more, some NaN"), std::string::npos) << text;
  EXPECT_EQ(text.find("at most 0"), std::string::npos) << text;
  EXPECT_NE(text.find("\n" + kSaid + "\n"), std::string::npos) << text;
  EXPECT_EQ(run({"explain", "--stage", "context", "--at", "0,0,2,3"}).out.find("first NaN"), std::string::npos);
}

}  // namespace
}  // namespace headscope

// `gradients`: what is printed, what is written, what is refused.
#include <cmath>

#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Gradients : public CommandTest {
 protected:
  Result gradients(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"gradients", "--model", "demo:induction", "--phrase", "cat box ink fox jam cat"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
};

TEST_F(Gradients, TheTablesHeadsAreThoseOfTheJson) {
  const Result text = gradients({"--metric", "logit:box-ink"}),
               json = gradients({"--metric", "logit:box-ink", "--json"});
  ASSERT_EQ(text.code, 0) << text.err;
  ASSERT_EQ(json.code, 0) << json.err;
  const nlohmann::json found = nlohmann::json::parse(json.out);
  EXPECT_EQ(found["metric"], "logit:box-ink");
  EXPECT_EQ(found["position"], 5);
  EXPECT_EQ(found["steps"], 0);
  EXPECT_TRUE(found["layers"][0]["difference"].is_null());
  ASSERT_EQ(found["heads"].size(), 16u);
  double sum = 0;
  for (std::size_t head = 8; head < 16; ++head) sum += found["heads"][head]["sum"].get<double>();
  EXPECT_NEAR(sum, found["layers"][1]["sum"].get<double>(), 1e-6);
  EXPECT_NE(text.out.find("Gradient x weight"), std::string::npos);
  EXPECT_NE(text.out.find("-> key"), std::string::npos);
}

TEST_F(Gradients, AFileHoldsEveryMap) {
  ASSERT_EQ(gradients({"--metric", "prob:box", "--steps", "3", "--out", "maps.safetensors"}).code, 0);
  const SafetensorsFile file = SafetensorsFile::open(folder_ / "maps.safetensors");
  EXPECT_EQ(file.entries().size(), 6u);
  EXPECT_EQ(file.metadata().at("steps"), "3");
  const Tensor weights = file.tensor(*file.find("layers.1.weights")),
               slopes = file.tensor(*file.find("layers.1.gradient"));
  const Tensor product = file.tensor(*file.find("layers.1.product"));
  EXPECT_EQ(to_string(weights.shape()), to_string(product.shape()));
  for (std::int64_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(product.at({0, 7, 5, j}), weights.at({0, 7, 5, j}) * slopes.at({0, 7, 5, j}), 1e-7f);
  }
  ASSERT_EQ(gradients({"--metric", "loss", "--out", "heads.csv"}).code, 0);
  EXPECT_EQ(bytes_of(folder_ / "heads.csv").find("layer,head,sum,absolute,largest,query,key\n0,0,"), 0u);
}

TEST_F(Gradients, WrongWordsAreNamed) {
  const auto refusal = [&](const std::vector<std::string>& more) {
    const Result result = gradients(more);
    EXPECT_EQ(result.code, 2) << result.out;
    return result.err;
  };
  EXPECT_NE(refusal({}).find("--metric"), std::string::npos);
  EXPECT_NE(refusal({"--metric", "kl"}).find("kl"), std::string::npos);
  EXPECT_NE(refusal({"--metric", "loss", "--steps", "0"}).find("--steps"), std::string::npos);
  EXPECT_NE(refusal({"--metric", "loss", "--out", "x.png"}).find("FILE.safetensors"), std::string::npos);
  EXPECT_NE(refusal({"--metric", "loss", "--at", "9"}).find("--at"), std::string::npos);
}

}  // namespace
}  // namespace headscope

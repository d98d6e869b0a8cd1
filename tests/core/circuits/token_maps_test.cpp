// Tokens of a set, each with each, against NumPy's with every matrix of the whole vocabulary made.
#include "core/circuits/token_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/circuits/token_circuits.h"
#include "tests/core/circuits/circuits_models.h"

namespace headscope {
namespace {

nlohmann::json golden_tokens() {
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/token_circuits.json");
  return nlohmann::json::parse(file);
}

TEST(TokenMaps, AreNumPysForEveryHead) {
  for (const auto& golden : golden_tokens()) {
    const auto checkpoint = circuits_model(golden.at("model"));
    const bool fold = golden.at("norms") == "fold";
    const auto ids = golden.at("tokens").get<std::vector<std::int64_t>>();
    for (const auto& head : golden.at("heads")) {
      SCOPED_TRACE(golden.at("model").get<std::string>() + " " + head.at("layer").dump() + "." +
                   head.at("head").dump());
      const TokenMaps found = token_maps(*checkpoint, {head.at("layer"), head.at("head"), ids},
                                         fold ? NormFolding::fold : NormFolding::ignore, {});
      for (const auto& [name, map] : {std::pair("qk", &found.qk), std::pair("ov", &found.ov)}) {
        ASSERT_EQ(map->shape(), (Shape{5, 5}));
        for (std::int64_t a = 0; a < 5; ++a) {
          for (std::int64_t b = 0; b < 5; ++b) {
            const double wanted = head.at(name)[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
            const double here = static_cast<double>(map->at({a, b}));
            EXPECT_TRUE(std::abs(here - wanted) <= 3e-5 * (1 + std::abs(wanted))) << name << " " << a << ", " << b;
          }
        }
      }
    }
  }
}

TEST(TokenMaps, SayTheSameAsTheListsOfOneToken) {
  const auto checkpoint = circuits_model("llama");
  const TokenMaps found = token_maps(*checkpoint, {1, 2, {7, 3, 7}}, NormFolding::fold, {});
  const TokenCircuit lists = token_circuit(*checkpoint, {1, 2, 7, 24}, NormFolding::fold, {});
  const auto value_of = [](const std::vector<TokenScore>& list, std::int64_t id) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const TokenScore& each) { return each.id == id; });
    return at == list.end() ? std::nan("") : at->value;
  };
  EXPECT_FLOAT_EQ(found.qk.at({0, 1}), static_cast<float>(value_of(lists.keys, 3)));
  EXPECT_FLOAT_EQ(found.qk.at({1, 0}), static_cast<float>(value_of(lists.queries, 3)));
  EXPECT_FLOAT_EQ(found.ov.at({0, 1}), static_cast<float>(value_of(lists.writes, 3)));
  EXPECT_EQ(found.ov.at({0, 2}), found.ov.at({0, 0})) << "a token may stand there twice";
}

TEST(TokenMaps, OfAMaskedHeadHaveNoLogits) {
  const TokenMaps found = token_maps(*circuits_model("bert"), {1, 0, {3, 5}}, NormFolding::fold, {});
  EXPECT_TRUE(found.ov.empty());
  EXPECT_EQ(found.qk.size(), 4);
}

TEST(TokenMaps, OfLatentsAreRefused) {
  EXPECT_THROW(token_maps(*circuits_model("deepseek_v2"), {0, 0, {3}}, NormFolding::fold, {}), UsageError);
}

}  // namespace
}  // namespace headscope

// `compare` of two whole models: how far every head of every layer is apart, which heads have moved, where it begins.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"
#include "tests/app/cli/changed_model.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

constexpr std::int64_t kHeads = 8, kHeadDim = 8, kRows = 64;  // of demo:pronouns, rows [Q K V]

// A tensor whose rows, or columns, are other rows of it, each times a factor.
Tensor gathered(const Tensor& of, int axis, const std::vector<std::pair<std::int64_t, float>>& from) {
  const Tensor rows = axis == 0 ? of : of.permuted({1, 0});
  std::vector<float> values;
  for (const auto& [row, factor] : from) {
    for (const float value : rows.sliced(0, row, row + 1).values()) values.push_back(value * factor);
  }
  const Tensor result = Tensor::of(rows.shape(), rows.axes(), std::move(values));
  return axis == 0 ? result : result.permuted({1, 0}).dense_copy();
}

using Rows = std::vector<std::pair<std::int64_t, float>>;

// Blocks of rows in an order, `parts` times one after the other.
Rows in_blocks(const std::vector<std::int64_t>& order, std::int64_t size, std::int64_t parts) {
  Rows rows;
  const auto all = static_cast<std::int64_t>(order.size()) * size;
  for (std::int64_t part = 0; part < parts; ++part) {
    for (const std::int64_t block : order) {
      for (std::int64_t k = 0; k < size; ++k) rows.emplace_back(part * all + block * size + k, 1.0F);
    }
  }
  return rows;
}

class CompareHeads : public CommandTest {
 protected:
  void write_pronouns(const std::string& name, const ChangeTensor& change) const {
    write_changed_model(
        std::string(HEADSCOPE_SOURCE_DIR) + "/assets/demos/pronouns", std::filesystem::path(folder_.path()) / name,
        [](nlohmann::json&) {}, change);
  }
  void write_plain() const {
    write_pronouns("plain", [](std::string&, Tensor&) { return true; });
    folder_.write("plain.json", R"({"model": "plain", "phrase": ")" + std::string(kPhrase) + "\"}");
  }
  std::vector<std::string> words(const std::string& model, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"compare", "--model", model, "--phrase", kPhrase, "--against", "plain.json"});
    return more;
  }
  nlohmann::json json_of(const std::vector<std::string>& words) {
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  nlohmann::json against_plain(const std::string& model) {
    write_plain();
    return json_of(words(model, {"--json"}));
  }
  // A stage of a layer as `run` exports it.
  Tensor exported(const std::string& model, const std::string& layer, const std::string& stage) {
    const std::string folder = model + "." + layer;
    const Result result = cli({"run", "--model", model, "--phrase", kPhrase, "--layer", layer, "--export",
                               "weights,context", "--format", "npy", "--out", folder});
    EXPECT_EQ(result.code, 0) << result.err;
    return CommandTest::stage(folder, stage);
  }
  static constexpr const char* kPhrase = "The animal didn't cross the street because it was too tired";
};

// |A - B| / |A| of one head.
double share(const Tensor& a, const Tensor& b, std::int64_t head) {
  const std::vector<float> left = a.sliced(1, head, head + 1).values(), right = b.sliced(1, head, head + 1).values();
  double apart = 0, squares = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    apart += std::pow(static_cast<double>(left[k]) - static_cast<double>(right[k]), 2);
    squares += std::pow(static_cast<double>(left[k]), 2);
  }
  return std::sqrt(apart / squares);
}

TEST_F(CompareHeads, OfEqualModelsAreNowhereApart) {
  write_pronouns("copy", [](std::string&, Tensor&) { return true; });
  const nlohmann::json found = against_plain("copy");
  ASSERT_EQ(found["layers"].size(), 2U);
  for (const nlohmann::json& layer : found["layers"]) {
    ASSERT_EQ(layer["heads"].size(), 8U);
    EXPECT_TRUE(layer["moved"].empty());
    for (const nlohmann::json& head : layer["heads"]) {
      for (const char* number : {"weights", "context", "qk", "ov"}) EXPECT_EQ(head[number], 0.0) << number;
    }
  }
  EXPECT_EQ(found["first_heads"], (nlohmann::json{{"maps", nullptr}, {"text", nullptr}}));
  EXPECT_EQ(found["divergence"],
            "by their weights (qk and ov) no head differs beyond rounding; on this text none does");
  const Result text = cli(words("copy"));
  EXPECT_NE(text.out.find("no head of any layer differs"), std::string::npos) << text.out;
}

TEST_F(CompareHeads, AHeadWhoseRowsWereScaledIsFound) {
  write_pronouns("scaled", [](std::string& name, Tensor& tensor) {
    if (name != "layers.1.qkv.weight" && name != "layers.1.qkv.bias") return true;
    std::vector<float> values = tensor.values();
    const std::int64_t columns = tensor.size() / (3 * kRows);
    for (std::int64_t k = 3 * kHeadDim * columns; k < 4 * kHeadDim * columns; ++k) {
      values[static_cast<std::size_t>(k)] *= 1.5F;
    }
    tensor = Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
    return true;
  });
  const nlohmann::json found = against_plain("scaled");
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (std::size_t head = 0; head < 8; ++head) {
      const nlohmann::json& shares = found["layers"][layer]["heads"][head];
      const bool changed = layer == 1 && head == 3;
      EXPECT_EQ(shares["ov"], 0.0);
      EXPECT_NEAR(shares["qk"].get<double>(), changed ? 0.5 : 0, 1e-6) << layer << "." << head;
      EXPECT_EQ(shares["weights"].get<double>() > 0, changed) << layer << "." << head;
    }
  }
  EXPECT_TRUE(found["layers"][1]["moved"].empty());
  const nlohmann::json place = {{"layer", 1}, {"head", 3}};
  EXPECT_EQ(found["first_heads"], (nlohmann::json{{"maps", place}, {"text", place}}));
  EXPECT_EQ(
      found["divergence"].get<std::string>().rfind(
          "by its weights the first head that differs beyond rounding is head 3 of layer 1 (qk 0.5, ov 0); on this "
          "text the first that differs is head 3 of layer 1 (weights ",
          0),
      0U)
      << found["divergence"];
  const Result text = cli(words("scaled"));
  EXPECT_NE(text.out.find("1 of 16 differ"), std::string::npos) << text.out;
}

TEST_F(CompareHeads, HeadsThatWereExchangedHaveMoved) {
  const std::vector<std::int64_t> order = {0, 1, 5, 3, 4, 2, 6, 7};
  write_pronouns("moved", [&](std::string& name, Tensor& tensor) {
    if (name == "layers.1.qkv.weight") tensor = gathered(tensor, 0, in_blocks(order, kHeadDim, 3));
    if (name == "layers.1.output.weight") tensor = gathered(tensor, 1, in_blocks(order, kHeadDim, 1));
    if (name == "layers.1.qkv.bias") {
      std::vector<float> values;
      for (const auto& [row, factor] : in_blocks(order, kHeadDim, 3)) values.push_back(tensor.at({row}) * factor);
      tensor = Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
    }
    return true;
  });
  const nlohmann::json found = against_plain("moved");
  const nlohmann::json& layer = found["layers"][1];
  EXPECT_EQ(layer["moved"], (nlohmann::json{{5, 2}, {2, 5}}));
  ASSERT_EQ(layer["paired"].size(), 2U);
  for (const nlohmann::json& pair : layer["paired"]) {
    for (const char* number : {"weights", "context", "qk", "ov"}) EXPECT_LE(pair[number].get<double>(), 1e-5) << number;
  }
  for (const std::size_t head : {2, 5}) {
    for (const char* number : {"weights", "context", "qk", "ov"})
      EXPECT_GE(layer["heads"][head][number].get<double>(), 0.1) << number;
  }
  for (const std::size_t head : {0, 1, 3, 4, 6, 7}) EXPECT_EQ(layer["heads"][head]["qk"], 0.0) << head;
  EXPECT_TRUE(found["layers"][0]["moved"].empty());
  EXPECT_TRUE(found["layers"][0]["said"].is_null());
  EXPECT_EQ(found["first_heads"]["maps"], (nlohmann::json{{"layer", 1}, {"head", 2}}));
  const std::string said = "heads have moved in layer 1: heads 5, 2 of A are heads 2, 5 of B";
  EXPECT_EQ(layer["said"].get<std::string>().rfind(said, 0), 0U) << layer["said"];
  const Result text = cli(words("moved"));
  EXPECT_NE(text.out.find(said), std::string::npos) << text.out;
}

TEST_F(CompareHeads, AreSharesOfWhatRunExports) {
  write_pronouns("halved", [](std::string& name, Tensor& tensor) {
    if (name.find("layers.0.qkv") == std::string::npos) return true;
    std::vector<float> values = tensor.values();
    for (float& value : values) value *= 0.5F;
    tensor = Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
    return true;
  });
  const nlohmann::json found = against_plain("halved");
  for (const std::string layer : {"0", "1"}) {
    for (const char* stage : {"weights", "context"}) {
      const Tensor a = exported("plain", layer, stage), b = exported("halved", layer, stage);
      for (std::int64_t head = 0; head < kHeads; ++head) {
        const double said =
            found["layers"][std::stoul(layer)]["heads"][static_cast<std::size_t>(head)][stage].get<double>();
        EXPECT_NEAR(said, share(a, b, head), 1e-12) << stage << " " << layer << "." << head;
      }
    }
  }
  // Half of W_Q and of W_K is a quarter of QK, half of W_V half of OV.
  for (const nlohmann::json& head : found["layers"][0]["heads"]) {
    EXPECT_NEAR(head["qk"].get<double>(), 0.75, 1e-6);
    EXPECT_NEAR(head["ov"].get<double>(), 0.5, 1e-6);
  }
  EXPECT_EQ(json_of(words("halved", {"--json", "--threads", "1"}))["layers"], found["layers"]);
}

TEST_F(CompareHeads, OfGroupsHaveTheKeyAndTheValueThatTheyRead) {
  const auto write = [&](const char* name, const char* part) {
    write_changed_model(
        std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/llama", std::filesystem::path(folder_.path()) / name,
        [](nlohmann::json&) {},
        [&](std::string& tensor_name, Tensor& tensor) {
          if (tensor_name.find(part) == std::string::npos) return true;
          Rows rows;  // the four rows of the second of two groups, twice as large
          for (std::int64_t row = 0; row < 8; ++row) rows.emplace_back(row, row < 4 ? 1.0F : 2.0F);
          tensor = gathered(tensor, 0, rows);
          return true;
        });
  };
  write("plain", "no such part");
  write("keys", "layers.0.self_attn.k_proj");
  write("values", "layers.0.self_attn.v_proj");
  folder_.write("plain.json", R"({"model": "plain", "token_ids": [3, 7, 1, 9]})");
  for (const auto& [model, changed, other] : {std::tuple("keys", "qk", "ov"), std::tuple("values", "ov", "qk")}) {
    const nlohmann::json found =
        json_of({"compare", "--model", model, "--token-ids", "3,7,1,9", "--against", "plain.json", "--json"});
    for (std::size_t head = 0; head < 4; ++head) {
      const nlohmann::json& shares = found["layers"][0]["heads"][head];
      EXPECT_NEAR(shares[changed].get<double>(), head < 2 ? 0 : 1, 1e-6) << model << " " << head;
      EXPECT_EQ(shares[other], 0.0) << model << " " << head;
    }
  }
}

TEST_F(CompareHeads, AreATableWithALineForEach) {
  write_pronouns("copy", [](std::string&, Tensor&) { return true; });
  write_plain();
  const Result result = cli(words("copy", {"--ablate", "1.3", "--out", "heads.csv"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("written to heads.csv"), std::string::npos) << result.out;
  std::string expected = "layer,head,weights,context,qk,ov\n";
  for (int k = 0; k < 16; ++k) {
    expected += std::to_string(k / 8) + "," + std::to_string(k % 8) + ",0," + (k == 11 ? "1" : "0") + ",0,0\n";
  }
  EXPECT_EQ(bytes_of(folder_ / "heads.csv"), expected);
  expect_refused(cli(words("copy", {"--out", "folder"})), 2, {"--stage", "missing", ".csv"});
}

TEST_F(CompareHeads, OfOtherSizesHaveNoMapAndItIsSaidWhy) {
  const std::string models = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";
  folder_.write("a.json", R"({"model": ")" + models + R"(llama", "token_ids": [3, 7, 1, 9]})");
  const std::vector<std::string> other = {"compare", "--model",   models + "gpt2", "--token-ids",
                                          "3,7,1,9", "--against", "a.json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), other.begin(), other.end());
    return more;
  };
  const std::string why = "A has 2 layers of 4 heads, B 2 layers of 3 heads";
  const nlohmann::json found = json_of(with({"--json"}));
  EXPECT_TRUE(found["layers"].is_null());
  EXPECT_TRUE(found["divergence"].is_null());
  EXPECT_EQ(found["no_layers"], why);
  const std::string text = cli(other).out;
  EXPECT_NE(text.find("no map of layers and heads: " + why), std::string::npos);
  EXPECT_EQ(found["no_heads"], "heads could not be compared: A has 4, B 3");
  EXPECT_NE(text.find("heads could not be compared: A has 4, B 3"), std::string::npos) << text;
  EXPECT_EQ(text.find("no head's weights or context differ"), std::string::npos) << "none was compared";
  expect_refused(cli(with({"--out", "heads.csv"})), 2, {"--out", "heads.csv", why});
  // Two single layers are no models, and nothing is said of a map.
  folder_.write("seeded.json", R"({"model": "seeded", "phrase": "a b", "heads": 2, "d_model": 8})");
  const std::vector<std::string> single = {"compare", "--session", "seeded.json", "--against", "seeded.json"};
  EXPECT_EQ(cli(single).out.find("map"), std::string::npos);
  folder_.write("b.json", R"({"model": "demo:pronouns", "phrase": "a b"})");
  const nlohmann::json mixed = json_of({"compare", "--session", "seeded.json", "--against", "b.json", "--json"});
  EXPECT_EQ(mixed["no_layers"], "B is one layer, not a whole model");
}

TEST_F(CompareHeads, WithoutMapsOfTheStreamAreComparedOnTheTextAlone) {
  const std::string model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/deepseek_v2";
  folder_.write("a.json", R"({"model": ")" + model + R"(", "token_ids": [3, 7, 1, 9]})");
  const nlohmann::json found =
      json_of({"compare", "--model", model, "--token-ids", "3,7,2,9", "--against", "a.json", "--json"});
  for (const nlohmann::json& layer : found["layers"]) {
    for (const nlohmann::json& head : layer["heads"]) {
      EXPECT_TRUE(head["qk"].is_null() && head["ov"].is_null());
      EXPECT_GT(head["weights"].get<double>(), 0);
    }
  }
  EXPECT_TRUE(found["first_heads"]["maps"].is_null());
}

}  // namespace
}  // namespace headscope

// `compare` of two models: rows, heads and layers that stand in another order or are missing are named.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/tensor/tensor.h"
#include "tests/app/cli/changed_model.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

// The golden llama with heads of eight features, and the same with the rows of queries and keys in the order of pairs.
class ComparedModels : public CommandTest {
 protected:
  void SetUp() override {
    write_model("ll", {});
    write_model("llp", {"q_proj", "k_proj"});
    write_model("q_alone", {"q_proj"});
    write_model("with_values", {"q_proj", "k_proj", "v_proj"});
    folder_.write("halves.json", R"({"model": "ll", "token_ids": [3, 7, 1, 9], "layer": 0})");
    folder_.write("pairs.json", R"({"model": "llp", "token_ids": [3, 7, 1, 9], "layer": 0})");
  }
  Result compared(std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    return cli(words);
  }
  nlohmann::json json_of(std::vector<std::string> words) {
    words.push_back("--json");
    const Result result = compared(std::move(words));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  void write_model(const std::string& name, const std::vector<std::string>& permuted) const {
    write_changed(name, 2, 1, 2, [&](std::string& tensor_name, Tensor& tensor) {
      for (const std::string& each : permuted) {
        if (tensor_name.find(each) != std::string::npos) tensor = rows_in_pairs(tensor);
      }
      return true;
    });
  }
  // The golden llama with other counts, and its tensors as `change` leaves them; false: the model has none of it.
  void write_changed(const std::string& name, int heads, int kv_heads, int layers, const ChangeTensor& change) const {
    write_changed_model(
        std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/llama", std::filesystem::path(folder_.path()) / name,
        [&](nlohmann::json& config) {
          config["num_attention_heads"] = heads;
          config["num_key_value_heads"] = kv_heads;
          config["num_hidden_layers"] = layers;
        },
        change);
  }
  static Tensor rows_in_pairs(const Tensor& matrix) {
    constexpr std::int64_t kHeadDim = 8, kHalf = 4;
    std::vector<float> values;
    for (std::int64_t row = 0; row < matrix.dim(0); ++row) {
      const std::int64_t head = row / kHeadDim, at = row % kHeadDim;
      const std::int64_t source = head * kHeadDim + at % 2 * kHalf + at / 2;
      for (std::int64_t column = 0; column < matrix.dim(1); ++column) values.push_back(matrix.at({source, column}));
    }
    return Tensor::of(matrix.shape(), matrix.axes(), std::move(values));
  }
  // Blocks of four rows, or columns, in another order: heads of the golden llama.
  static Tensor blocks(const Tensor& matrix, const std::vector<std::int64_t>& order, bool columns) {
    const Tensor rows = columns ? matrix.permuted({1, 0}) : matrix;
    std::vector<float> values;
    for (std::int64_t row = 0; row < rows.dim(0); ++row) {
      const std::int64_t source = order[static_cast<std::size_t>(row / 4)] * 4 + row % 4;
      for (std::int64_t column = 0; column < rows.dim(1); ++column) values.push_back(rows.at({source, column}));
    }
    const Tensor result = Tensor::of(rows.shape(), rows.axes(), std::move(values));
    return columns ? result.permuted({1, 0}).dense_copy() : result;
  }
  // A model whose layer 1 has its heads in another order; `with_output`: the output projection's columns, too.
  void write_heads(const std::string& name, const std::vector<std::int64_t>& queries,
                   const std::vector<std::int64_t>& keys, bool with_output) const {
    write_changed(name, 4, 2, 2, [&](std::string& tensor_name, Tensor& tensor) {
      const auto holds = [&](const char* part) { return tensor_name.find(part) != std::string::npos; };
      if (!holds("layers.1.")) return true;
      if (holds("q_proj")) tensor = blocks(tensor, queries, false);
      if (holds("k_proj") || holds("v_proj")) tensor = blocks(tensor, keys, false);
      if (with_output && holds("o_proj")) tensor = blocks(tensor, queries, true);
      return true;
    });
  }
  // A model with these of the golden llama's two layers, in this order.
  void write_layers(const std::string& name, const std::vector<int>& layers) const {
    write_changed(name, 4, 2, static_cast<int>(layers.size()), [&](std::string& tensor_name, Tensor&) {
      const std::size_t at = tensor_name.find("layers.");
      if (at == std::string::npos) return true;
      const int own = tensor_name[at + 7] - '0';
      const auto place = std::find(layers.begin(), layers.end(), own);
      if (place != layers.end()) tensor_name[at + 7] = static_cast<char>('0' + (place - layers.begin()));
      return place != layers.end();
    });
  }
  // Returns the answer of `compare` for the plain model, A, and this one, B.
  nlohmann::json against_plain(const std::string& model) {
    write_layers("plain", {0, 1});
    write_session_of("plain");
    return json_of({"--model", model, "--token-ids", "3,7,1,9", "--layer", "0", "--against", "plain.json"});
  }
  void write_session_of(const std::string& model) {
    folder_.write(model + ".json", R"({"model": ")" + model + R"(", "token_ids": [3, 7, 1, 9], "layer": 0})");
  }
  Result against_halves(const std::string& model, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--model", model, "--token-ids", "3,7,1,9", "--layer", "0", "--against", "halves.json"});
    return compared(std::move(more));
  }
};

TEST_F(ComparedModels, RowsInTheOrderOfRotaryPairsAreNamed) {
  const Result text = against_halves("llp");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("the rows are permuted in layer 0: query_proj and key_proj of B are those of A"),
            std::string::npos)
      << text.out;
  const nlohmann::json found =
      json_of({"--model", "ll", "--token-ids", "3,7,1,9", "--layer", "1", "--against", "pairs.json"});
  EXPECT_NE(found["rows"].get<std::string>().find("query_proj and key_proj of A are those of B"), std::string::npos)
      << "the layer that is shown is another one";
}

TEST_F(ComparedModels, HeadsInAnotherOrderAreNamed) {
  write_heads("groups", {2, 3, 0, 1}, {1, 0}, true);
  const nlohmann::json found = against_plain("groups");
  EXPECT_EQ(found["layer"], 1);
  EXPECT_EQ(found["rows"],
            "the heads stand in another order in layer 1: heads 0, 1, 2, 3 of B are heads 2, 3, 0, 1 of A; of keys and "
            "values heads 0, 1 of B are heads 1, 0 of A; the output is the same");
  write_heads("within", {1, 0, 2, 3}, {0, 1}, false);
  EXPECT_EQ(
      against_plain("within")["rows"],
      "the heads stand in another order in layer 1: heads 0, 1, 2, 3 of B are heads 1, 0, 2, 3 of A; the heads of "
      "keys and values stand as they did");
  // Query heads that no longer read their own keys are another model.
  write_heads("torn", {2, 1, 0, 3}, {0, 1}, true);
  write_heads("keys_alone", {0, 1, 2, 3}, {1, 0}, true);
  for (const char* model : {"torn", "keys_alone"}) EXPECT_TRUE(against_plain(model)["rows"].is_null()) << model;
}

TEST_F(ComparedModels, LayersThatAreMissingOrExchangedAreNamed) {
  write_layers("second", {1});
  EXPECT_EQ(against_plain("second")["layer_order"], "layer 0 of A is missing in B");
  write_layers("turned", {1, 0});
  EXPECT_EQ(against_plain("turned")["layer_order"],
            "the layers stand in another order: layers 0, 1 of B are layers 1, 0 of A");
  write_session_of("second");
  const Result text =
      compared({"--model", "plain", "--token-ids", "3,7,1,9", "--layer", "0", "--against", "second.json"});
  EXPECT_NE(text.out.find("layer 0 of B is missing in A"), std::string::npos) << text.out;
  write_layers("first", {0});
  const nlohmann::json behind = against_plain("first");
  EXPECT_EQ(behind["layer_order"], "layer 1 of A is missing in B");
  EXPECT_EQ(behind["equal"], false) << "the shown layer alone is equal";
  write_session_of("first");
  const Result shown =
      compared({"--model", "plain", "--token-ids", "3,7,1,9", "--layer", "0", "--against", "first.json"});
  EXPECT_NE(shown.out.find("equal in the shown layer"), std::string::npos) << shown.out;
  EXPECT_TRUE(against_plain("plain")["layer_order"].is_null());
  EXPECT_TRUE(against_plain("ll")["layer_order"].is_null()) << "the layers are the same";
}

TEST_F(ComparedModels, WhatDiffersBesideAttentionIsNotEqual) {
  write_layers("twice", {0, 1});
  const auto changed = [&](const char* name, const char* part) {
    write_changed(name, 4, 2, 2, [=](std::string& tensor_name, Tensor& tensor) {
      if (tensor_name.find(part) == std::string::npos) return true;
      std::vector<float> values = tensor.values();
      for (float& each : values) each *= 2;
      tensor = Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
      return true;
    });
  };
  changed("mlp", "layers.1.mlp.down_proj");
  changed("norm", "model.norm");
  EXPECT_EQ(against_plain("twice")["equal"], true);
  for (const char* model : {"mlp", "norm"}) {
    const nlohmann::json found = against_plain(model);
    EXPECT_EQ(found["equal"], false) << model;
    EXPECT_NE(found["besides"].get<std::string>().find("the final hidden states differ"), std::string::npos);
  }
  changed("head", "lm_head");
  const nlohmann::json head = against_plain("head");
  EXPECT_EQ(head["equal"], false) << "it predicts other tokens";
  EXPECT_NE(head["besides"].get<std::string>().find("the logits of the last position differ"), std::string::npos);
  // Attention of two layers exchanged, and not their MLPs: these are no layers in another order.
  write_changed("attention", 4, 2, 2, [&](std::string& tensor_name, Tensor&) {
    const std::size_t at = tensor_name.find("layers.");
    if (at != std::string::npos && tensor_name.find("self_attn") != std::string::npos) {
      tensor_name[at + 7] = tensor_name[at + 7] == '0' ? '1' : '0';
    }
    return true;
  });
  EXPECT_TRUE(against_plain("attention")["layer_order"].is_null());
}

TEST_F(ComparedModels, NothingElseIsCalledAPermutation) {
  for (const char* model : {"ll", "q_alone", "with_values"}) {
    const Result text = against_halves(model);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_EQ(text.out.find("permuted"), std::string::npos) << model << text.out;
    const nlohmann::json found =
        json_of({"--model", model, "--token-ids", "3,7,1,9", "--layer", "0", "--against", "halves.json"});
    EXPECT_TRUE(found["rows"].is_null());
  }
}

}  // namespace
}  // namespace headscope

// Whole forwards derived in double precision from formulas, and tutorial 004. See 004.md.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

// sin(0.37 k + phase) over a row-major matrix, as the cases spell their inputs.
Tensor sine(std::int64_t rows, std::int64_t columns, double phase) {
  Tensor tensor = Tensor::zeros({rows, columns}, {Axis::feature, Axis::feature});
  for (std::int64_t k = 0; k < rows * columns; ++k) {
    tensor.mutable_data()[k] = static_cast<float>(std::sin(0.37 * static_cast<double>(k) + phase));
  }
  return tensor;
}

// 0.1 cos(0.53 o + phase)
Tensor cosine(std::int64_t count, double phase) {
  Tensor tensor = Tensor::zeros({count}, {Axis::feature});
  for (std::int64_t o = 0; o < count; ++o) {
    tensor.mutable_data()[o] = static_cast<float>(0.1 * std::cos(0.53 * static_cast<double>(o) + phase));
  }
  return tensor;
}

using StageKeys = std::vector<std::pair<const char*, const char*>>;  // our stage, the case's key

void expect_stages(const std::vector<GoldenRun>& runs, const nlohmann::json& golden, const StageKeys& keys) {
  for (const GoldenRun& run : runs) {
    for (const auto& [stage, key] : keys) {
      const std::vector<double> expected = flat_numbers(golden.at("expected").at(key));
      EXPECT_TRUE(all_near(run.stage(stage), expected, tolerance_of(golden)))
          << golden.at("id") << " " << run.label << " " << stage;
    }
  }
}

const StageKeys kAll = {{"masked_scores", "scaled_masked"},
                        {"weights", "weights"},
                        {"context", "context"},
                        {"concat", "merged"},
                        {"output", "out"}};
const StageKeys kDirect = {{"concat", "merged_buggy"}, {"output", "out_buggy"}};

class DerivedFused : public GoldenTest {
 public:
  Options fused(const char* weight, const char* bias, const char* output, const char* output_bias, bool causal) const {
    Options options = {{"input", npy("x.npy", sine(4, 6, 0.1))},
                       {"weights", layer("w.safetensors", {{weight, sine(24, 6, 0.7)},
                                                           {bias, cosine(24, 0.2)},
                                                           {output, sine(8, 8, 1.3)},
                                                           {output_bias, cosine(8, 0.9)}})},
                       {"heads", "2"}};
    if (causal) options.emplace_back("mask", "causal");
    return options;
  }
  Options tutorial(bool causal) const {
    return fused("qkv_layer.weight", "qkv_layer.bias", "linear_layer.weight", "linear_layer.bias", causal);
  }
  Options torch(bool causal) const {
    return fused("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias", causal);
  }
};

Options with(Options options, const char* name, const char* value) {
  options.emplace_back(name, value);
  return options;
}

TEST_F(DerivedFused, PerHeadRowsGiveTheDerivedStages) {
  for (const bool causal : {false, true}) {
    const nlohmann::json& golden = seed_case(causal ? "derived.fused_qkv.interleaved_per_head.causal"
                                                    : "derived.fused_qkv.interleaved_per_head.none");
    expect_stages(run_everywhere(tutorial(causal)), golden, kAll);
    expect_stages(run_everywhere(with(tutorial(causal), "merge", "direct")), golden, kDirect);
    expect_stages(run_everywhere(with(torch(causal), "qkv-layout", "per-head")), golden, kAll);
  }
}

TEST_F(DerivedFused, BlockedRowsGiveTheDerivedStages) {
  for (const bool causal : {false, true}) {
    const nlohmann::json& golden =
        seed_case(causal ? "derived.fused_qkv.blocked_q_k_v.causal" : "derived.fused_qkv.blocked_q_k_v.none");
    expect_stages(run_everywhere(torch(causal)), golden, kAll);
    expect_stages(run_everywhere(with(tutorial(causal), "qkv-layout", "blocked")), golden, kAll);
  }
}

TEST_F(DerivedFused, TheTwoLayoutsAreEachOthersVariant) {
  const nlohmann::json& per_head = seed_case("derived.fused_qkv.interleaved_per_head.causal");
  const nlohmann::json& blocked = seed_case("derived.fused_qkv.blocked_q_k_v.causal");
  expect_stages(run_everywhere(with(tutorial(true), "variant", "qkv-per-head-as-blocked")), blocked, kAll);
  expect_stages(run_everywhere(with(torch(true), "variant", "qkv-blocked-as-per-head")), per_head, kAll);
}

class Tutorial004 : public GoldenTest {
 public:
  Options cross(const nlohmann::json& golden, const char* fill) const {
    Options options = {{"input", npy("query.npy", sine(3, 4, 0.3))},
                       {"key-input", npy("key.npy", sine(4, 4, 0.8))},
                       {"value-input", npy("value.npy", sine(4, 4, 1.9))},
                       {"weights", layer("w.safetensors", {{"queries.weight", sine(4, 4, 0.15)},
                                                           {"keys.weight", sine(4, 4, 0.45)},
                                                           {"values.weight", sine(4, 4, 0.95)},
                                                           {"fc_out.weight", sine(4, 4, 1.55)}})},
                       {"heads", "2"}};
    const nlohmann::json& mask = golden.at("inputs").at("mask");
    if (!mask.is_null()) {
      options.insert(options.end(), {{"mask", npy("mask.npy", tensor_of(mask))},
                                     {"mask-kind", "keep"},
                                     {"mask-order", "before-scale"},
                                     {"mask-fill", fill}});
    }
    return options;
  }
  void check(const char* id) {
    const nlohmann::json& golden = seed_case(id);
    expect_stages(run_everywhere(cross(golden, "-1e20")), golden, kAll);
    expect_stages(run_everywhere(cross(golden, "-inf")), golden, {{"weights", "weights_if_minus_inf"}});
  }
};

TEST_F(Tutorial004, ThreeDifferentInputsWithoutAMask) {
  check("derived.s004.cross.none");
}

TEST_F(Tutorial004, PaddedKeysGetNoWeight) {
  check("derived.s004.cross.key_padding");
}

TEST_F(Tutorial004, ARowWithoutKeysIsUniformWithAFiniteFillAndNanWithInfinity) {
  check("derived.s004.cross.row_fully_masked");
}

TEST_F(Tutorial004, ThePaddingTermHidesWhatTheMaskFileHides) {
  const nlohmann::json& golden = seed_case("derived.s004.cross.key_padding");
  Options options = cross(golden, "-1e20");
  for (auto& [name, value] : options) {
    if (name == "mask") value = "padding:1";
  }
  std::erase_if(options, [](const auto& option) { return option.first == "mask-kind"; });
  expect_stages(run_everywhere(options), golden, kAll);
}

TEST_F(Tutorial004, ScoresAreIndexedByQueryThenKeyWhateverItsCommentSays) {
  const nlohmann::json& expected = seed_case("s004.shapes").at("expected");
  const std::map<std::string, std::int64_t> sizes = {{"N", 1}, {"q", 3}, {"k", 4}, {"h", 2}, {"d", 2}, {"E", 4}};
  const std::map<std::string, const char*> stages = {
      {"queries", "query"}, {"keys", "key"}, {"scores", "scores"}, {"out", "context"}, {"merged", "concat"}};
  for (const GoldenRun& run : run_everywhere(cross(seed_case("derived.s004.cross.none"), "-1e20"))) {
    for (const nlohmann::json& entry : expected) {
      Shape shape;
      for (const nlohmann::json& symbol : entry.at(1)) shape.push_back(sizes.at(symbol.get<std::string>()));
      Tensor found = run.stage(stages.at(entry.at(0).get<std::string>()));
      // The tutorial keeps tokens before heads: (N, len, heads, head_dim).
      if (entry.at(1).size() == 4 && entry.at(0) != "scores") found = found.permuted({0, 2, 1, 3});
      EXPECT_EQ(to_string(found.shape()), to_string(shape)) << run.label << " " << entry;
    }
  }
}

TEST(Seeds, EveryCaseOfTheFileIsUsedByATest) {
  const std::filesystem::path folder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden";
  std::string sources;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    sources += text.str();
  }
  const nlohmann::json file = read_json((folder / "seeds.json").string());
  EXPECT_EQ(file.at("cases").size(), file.at("n_cases"));
  for (const nlohmann::json& golden : file.at("cases")) {
    const std::string id = golden.at("id");
    EXPECT_NE(sources.find("\"" + id + "\""), std::string::npos) << id;
  }
}

}  // namespace
}  // namespace headscope

// Tutorial 000: the class with a fused projection (000.md), and the shapes of 001 and 002, which use it too.
#include <gtest/gtest.h>

#include <map>

#include "core/model/load_inputs.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

using Tutorial000 = GoldenTest;
using Tutorial001 = GoldenTest;
using Tutorial002 = GoldenTest;
using Names = std::map<std::string, std::vector<std::string>>;  // the case's word -> our stages

Options seeded(const std::string& phrase, Options more = {}) {
  Options options = {{"model", "seeded"}, {"seed", "0"}, {"embedding", "sequence"}, {"phrase", phrase}};
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

// Every entry of the case's shape list that `names` knows; all entries must be known.
void expect_shapes(const std::vector<GoldenRun>& runs, const nlohmann::json& golden, const Names& names) {
  for (const nlohmann::json& entry : golden.at("expected")) {
    const auto found = names.find(entry.at(0).get<std::string>());
    ASSERT_NE(found, names.end()) << entry;
    Shape expected;
    for (const nlohmann::json& size : entry.at(1)) expected.push_back(size.get<std::int64_t>());
    for (const GoldenRun& run : runs) {
      for (const std::string& stage : found->second) {
        EXPECT_EQ(to_string(run.stage(stage).shape()), to_string(expected)) << run.label << " " << stage;
      }
    }
  }
}

TEST_F(Tutorial000, TheDemosShapesAreAsPrinted) {
  expect_shapes(run_everywhere(seeded("a b c d")), seed_case("s000.shapes_demo"),
                {{"x", {"input"}},
                 {"qkv", {"qkv"}},
                 {"reshape", {"qkv_split"}},
                 {"permute(0,2,1,3)", {"qkv_heads"}},
                 {"q|k|v", {"query", "key", "value"}}});
}

TEST_F(Tutorial000, TheClassRunsShapesAreAsPrinted) {
  const Options options =
      seeded("a b c d e", {{"batch", "30"}, {"input-dim", "1024"}, {"d-model", "512"}, {"heads", "8"}});
  expect_shapes(run_everywhere(options), seed_case("s000.shapes_class"),
                {{"x", {"input"}},
                 {"qkv", {"qkv"}},
                 {"qkv reshape", {"qkv_split"}},
                 {"qkv permute", {"qkv_heads"}},
                 {"q", {"query"}},
                 {"k", {"key"}},
                 {"v", {"value"}},
                 {"values", {"context"}},
                 {"attention", {"weights"}},
                 {"values merged", {"concat"}},
                 {"out", {"output"}}});
}

TEST_F(Tutorial000, TheSizePrintedAfterPermuteIsTheOneBeforeIt) {
  const nlohmann::json& expected = seed_case("s000.permute_print").at("expected");
  for (const GoldenRun& run : run_everywhere(seeded("a b c d"))) {
    const auto shape = [&](const char* stage) {
      nlohmann::json sizes = nlohmann::json::array();
      const Tensor tensor = run.stage(stage);
      for (const std::int64_t size : tensor.shape()) sizes.push_back(size);
      return sizes;
    };
    EXPECT_EQ(shape("qkv_heads"), expected.at("correct")) << run.label;
    EXPECT_EQ(shape("qkv_split"), expected.at("printed")) << run.label;
  }
}

TEST_F(Tutorial000, TheEightLinesArePrintedLetterForLetter) {
  const CommandResult result =
      run_cli({"run", "--model", "seeded", "--seed", "0", "--batch", "30", "--embedding", "sequence", "--input-dim",
               "1024", "--d-model", "512", "--heads", "8", "--phrase", "a b c d e", "--trace", "torch"},
              folder());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "x.size(): torch.Size([30, 5, 1024])\n"
            "qkv.size(): torch.Size([30, 5, 1536])\n"
            "qkv.size(): torch.Size([30, 5, 8, 192])\n"
            "qkv.size(): torch.Size([30, 8, 5, 192])\n"
            "q size: torch.Size([30, 8, 5, 64]), k size: torch.Size([30, 8, 5, 64]), v size: torch.Size([30, 8, 5, "
            "64]), \n"
            "values.size(): torch.Size([30, 8, 5, 64]), attention.size:torch.Size([30, 8, 5, 5]) \n"
            "values.size(): torch.Size([30, 5, 512])\n"
            "out.size(): torch.Size([30, 5, 512])\n");
}

TEST_F(Tutorial000, ItsMergeMixesTokensAndOursDoesNot) {
  Options options = seeded("a b c d e", {{"d-model", "16"}, {"heads", "4"}});
  const std::vector<GoldenRun> correct = run_everywhere(options);
  options.emplace_back("merge", "direct");
  const std::vector<GoldenRun> direct = run_everywhere(options);
  for (std::size_t r = 0; r < correct.size(); ++r) {
    const Tensor context = correct[r].stage("context");
    // `reshape` without the transpose walks [heads, len, head_dim] as if it were [len, heads * head_dim].
    EXPECT_EQ(direct[r].stage("concat").values(), context.values()) << direct[r].label;
    EXPECT_EQ(correct[r].stage("concat").values(), context.permuted({0, 2, 1, 3}).values()) << correct[r].label;
    EXPECT_NE(correct[r].stage("output").values(), direct[r].stage("output").values());
  }
}

TEST_F(Tutorial000, LayersHaveAsManyParametersAsTheTutorialsTrain) {
  const nlohmann::json& expected = seed_case("params.counts").at("expected");
  const auto parameters = [](const LayerWeights& layer) {
    std::int64_t count = layer.bias_k.size() + layer.bias_v.size();
    for (const Linear* linear : {&layer.qkv, &layer.query, &layer.key, &layer.value, &layer.output}) {
      count += linear->weight.size() + linear->bias.size();
    }
    return count;
  };
  const auto seeded_count = [&](std::int64_t input_dim) {
    Request request;
    request.phrase = "a";
    request.input_dim = input_dim;
    InputCache cache;
    return parameters(load_inputs(request, cache).weights);
  };
  const auto square = [](std::int64_t n) { return Tensor::zeros({n, n}, {Axis::feature, Axis::feature}); };
  const auto layer_of = [](const std::vector<NamedTensor>& tensors) {
    return layer_weights_from(tensors, QkvLayout::automatic, "made here");
  };
  EXPECT_EQ(seeded_count(512), expected.at("s000_demo_and_s001_s002_512"));
  EXPECT_EQ(seeded_count(1024), expected.at("s000_class_1024_512"));
  EXPECT_EQ(parameters(layer_of({{"queries.weight", square(512)},
                                 {"keys.weight", square(512)},
                                 {"values.weight", square(512)},
                                 {"fc_out.weight", square(512)}})),
            expected.at("s004_embed512_no_bias"));
  EXPECT_EQ(parameters(layer_of({{"Wq", square(6)}, {"Wk", square(6)}, {"Wv", square(6)}})),
            expected.at("s003_6x6_no_bias_no_out_proj"));
}

TEST_F(Tutorial001, ThePhrasesShapesAreAsPrinted) {
  expect_shapes(run_everywhere(seeded("Hola mi nombre es Alex", {{"mask", "causal"}})), seed_case("s001.shapes"),
                {{"x", {"input"}},
                 {"qkv", {"qkv"}},
                 {"reshape", {"qkv_split"}},
                 {"permute", {"qkv_heads"}},
                 {"q", {"query"}},
                 {"res", {"context"}},
                 {"concat", {"concat"}},
                 {"out", {"output"}}});
}

TEST_F(Tutorial002, TheShapesAreAsPrinted) {
  expect_shapes(run_everywhere(seeded("a b c d", {{"mask", "causal"}})), seed_case("s002.shapes"),
                {{"x", {"input"}},
                 {"qkv", {"qkv"}},
                 {"permute", {"qkv_heads"}},
                 {"Q", {"query"}},
                 {"scores", {"scores"}},
                 {"masked", {"masked_scores"}},
                 {"values", {"context"}},
                 {"merged", {"concat"}},
                 {"out", {"output"}}});
}

}  // namespace
}  // namespace headscope

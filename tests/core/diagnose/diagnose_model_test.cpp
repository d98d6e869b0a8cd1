// Of a dump of a whole model that is wrong somewhere, the first wrong layer and stage are told, and the mistake.
#include "core/diagnose/diagnose_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/diagnose/model_words.h"
#include "tests/core/diagnose/model_dumps.h"

namespace headscope {
namespace {

const char* const kModel = "gemma2";  // three layers with rotary positions, of which two have a window

const LayerDiagnosis& first_of(const ModelDiagnosis& found) {
  static const LayerDiagnosis none;
  return found.first ? found.layers[*found.first] : none;
}

// [batch, len, heads * features] -> [batch, heads, len, features].
Tensor split(const Tensor& projected, const Tensor& heads) {
  return projected.dense_copy()
      .reshaped({heads.dim(0), heads.dim(2), heads.dim(1), heads.dim(3)},
                {Axis::batch, Axis::position, Axis::head, Axis::feature})
      .permuted({0, 2, 1, 3})
      .dense_copy();
}

// The softmax of rows that nothing is hidden from.
Tensor model_softmax_of(const Tensor& scores) {
  std::vector<float> values = scores.values();
  const auto width = static_cast<std::size_t>(scores.dim(3));
  for (std::size_t first = 0; first < values.size(); first += width) {
    double sum = 0;
    for (std::size_t k = first; k < first + width; ++k) sum += std::exp(static_cast<double>(values[k]));
    for (std::size_t k = first; k < first + width; ++k) {
      values[k] = static_cast<float>(std::exp(static_cast<double>(values[k])) / sum);
    }
  }
  return Tensor::of(scores.shape(), scores.axes(), values);
}

TEST(DiagnoseModel, KeysWithoutPositionsInOneLayer) {
  const auto ours = whole_model(kModel);
  OtherProgram program(*ours);
  const auto right = program.right(2);
  program.wrong[2][StageId::key] = split(right->tensor(StageId::key_proj), right->tensor(StageId::key));
  for (const char* format : {"f32", "bf16"}) {
    const ModelDiagnosis found = diagnosed(*ours, rounded(program.dump(), format));
    EXPECT_EQ(found.verdict(), "explained") << format;
    EXPECT_EQ(first_of(found).layer, 2) << format;
    EXPECT_EQ(first_of(found).first_wrong(), "key") << format;
    EXPECT_EQ(first_of(found).mistakes(), std::vector<std::string>{"rotary-query-only"}) << format;
    EXPECT_NE(model_sentence(found).find("layer 2, key"), std::string::npos) << model_sentence(found);
  }
}

// With everything that there is, and with weights alone, where what follows is computed from them.
class IgnoredMask : public testing::TestWithParam<bool> {};

TEST_P(IgnoredMask, IsToldInTheLayerThatIgnoresIt) {
  const auto ours = whole_model(kModel);
  OtherProgram program(*ours);
  program.wrong[1][StageId::weights] = model_softmax_of(program.right(1)->tensor(StageId::capped_scores));
  const NamedNumbers all = program.dump();
  const ModelDiagnosis found = diagnosed(*ours, GetParam() ? all : OtherProgram::only(all, {"attentions"}));
  EXPECT_EQ(found.verdict(), "explained");
  EXPECT_EQ(first_of(found).layer, 1);
  EXPECT_EQ(first_of(found).first_wrong(), "weights");
  EXPECT_EQ(first_of(found).mistakes(), std::vector<std::string>{"mask-missing"});
  EXPECT_TRUE(found.layers.back().equal);
}

INSTANTIATE_TEST_SUITE_P(DiagnoseModel, IgnoredMask, testing::Bool());

TEST(DiagnoseModel, AMistakeOfAttentionIsNamedByWhatLeavesTheLayer) {
  const auto ours = whole_model(kModel);
  OtherProgram keys(*ours), mask(*ours);
  const auto right = keys.right(2);
  keys.wrong[2][StageId::key] = split(right->tensor(StageId::key_proj), right->tensor(StageId::key));
  mask.wrong[1][StageId::weights] = model_softmax_of(mask.right(1)->tensor(StageId::capped_scores));
  const ModelDiagnosis last = diagnosed(*ours, OtherProgram::only(keys.dump(), {"hidden"}));
  EXPECT_EQ(last.verdict(), "explained");
  EXPECT_EQ(first_of(last).layer, 2);
  EXPECT_EQ(first_of(last).first_wrong(), "final_norm");
  EXPECT_EQ(first_of(last).mistakes(), std::vector<std::string>{"rotary-query-only"});
  const ModelDiagnosis middle = diagnosed(*ours, OtherProgram::only(mask.dump(), {"hidden"}));
  EXPECT_EQ(middle.verdict(), "explained");
  EXPECT_EQ(first_of(middle).layer, 1);
  EXPECT_EQ(first_of(middle).first_wrong(), "layer_out");
  EXPECT_EQ(first_of(middle).mistakes(), std::vector<std::string>{"mask-missing"});
  EXPECT_TRUE(middle.layers.back().equal);
}

TEST(DiagnoseModel, TheSameMistakeInEveryLayerIsNamedInEach) {
  const auto ours = whole_model(kModel);
  OtherProgram program(*ours);
  for (std::int64_t layer = 0; layer < 3; ++layer) program.mistakes[layer] = {"no-scale", StageId::scores};
  const ModelDiagnosis found = diagnosed(*ours, program.dump());
  EXPECT_EQ(found.verdict(), "explained");
  ASSERT_EQ(found.layers.size(), 3U);
  for (const LayerDiagnosis& each : found.layers) {
    EXPECT_EQ(each.first_wrong(), "weights") << each.layer;
    EXPECT_EQ(each.mistakes(), std::vector<std::string>{"no-scale"}) << each.layer;
  }
}

TEST(DiagnoseModel, ALayerThatIsLeftOut) {
  for (const std::int64_t out : {0, 1, 2}) {
    const auto ours = whole_model(kModel);
    OtherProgram program(*ours);
    program.order.erase(program.order.begin() + out);
    const NamedNumbers all = program.dump();
    for (const NamedNumbers& theirs : {all, OtherProgram::only(all, {"hidden"})}) {
      const ModelDiagnosis found = diagnosed(*ours, theirs);
      EXPECT_EQ(found.missing, std::vector<std::int64_t>{out});
      EXPECT_EQ(found.verdict(), "explained") << out;
      EXPECT_TRUE(found.exchanged.empty()) << out;
      EXPECT_NE(model_sentence(found).find("does not compute layer " + std::to_string(out)), std::string::npos);
    }
  }
}

TEST(DiagnoseModel, TwoLayersInEachOthersPlace) {
  const auto ours = whole_model(kModel);
  OtherProgram program(*ours);
  program.order = {1, 0, 2};
  const ModelDiagnosis found = diagnosed(*ours, program.dump());
  EXPECT_EQ(found.exchanged, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}}));
  EXPECT_TRUE(found.missing.empty());
  EXPECT_EQ(found.verdict(), "explained");
  EXPECT_EQ(first_of(found).layer, 0);
}

TEST(DiagnoseModel, AnMlpThatIsNotThereIsToldWithoutAName) {
  const auto ours = whole_model(kModel);
  OtherProgram program(*ours);
  program.without_mlp = {1};
  const NamedNumbers all = program.dump();
  const ModelDiagnosis found = diagnosed(*ours, all);
  EXPECT_EQ(found.verdict(), "differs");
  EXPECT_EQ(first_of(found).layer, 1);
  EXPECT_EQ(first_of(found).first_wrong(), "mlp_out");
  ASSERT_NE(first_of(found).first_wrong_part(), nullptr);
  EXPECT_NE(part_sentence(*first_of(found).first_wrong_part(), 1).find("the MLP is wrong given its input"),
            std::string::npos);
  EXPECT_TRUE(found.layers.back().equal);
  const ModelDiagnosis hidden = diagnosed(*ours, OtherProgram::only(all, {"hidden"}));
  EXPECT_EQ(first_of(hidden).layer, 1);
  EXPECT_EQ(first_of(hidden).first_wrong(), "layer_out");
  EXPECT_TRUE(hidden.layers.back().equal);
}

TEST(DiagnoseModel, OneCellThatIsWrongIsFound) {
  const auto ours = whole_model(kModel);
  NamedNumbers theirs = OtherProgram(*ours).dump();
  std::vector<float> values = theirs["hidden_states.2"].values();
  values[20] *= 1.05F;
  theirs["hidden_states.2"] = Tensor::of(theirs["hidden_states.2"].shape(), theirs["hidden_states.2"].axes(), values);
  const ModelDiagnosis found = diagnosed(*ours, theirs);
  EXPECT_EQ(found.verdict(), "differs");
  EXPECT_EQ(first_of(found).layer, 1);
  ASSERT_NE(first_of(found).first_wrong_part(), nullptr);
  EXPECT_EQ(first_of(found).first_wrong_part()->where.cells, 1);
}

// llama.cpp computes the end of the last layer for the last token alone.
TEST(DiagnoseModel, TheLastRowAloneIsCompared) {
  const auto ours = whole_model(kModel);
  const NamedNumbers all = OtherProgram(*ours).dump();
  const std::int64_t len = ours->query_len();
  NamedNumbers theirs;
  for (const int layer : {0, 1}) {
    theirs["l_out-" + std::to_string(layer)] = all.at("hidden_states." + std::to_string(layer + 1));
  }
  const Tensor end = all.at("hidden_states.3").sliced(1, len - 1, len).dense_copy();
  theirs["result_norm"] = end;
  EXPECT_EQ(diagnosed(*ours, theirs).verdict(), "equal");
  std::vector<float> values = end.values();
  values[2] += 0.1F;
  theirs["result_norm"] = Tensor::of(end.shape(), end.axes(), values);
  const ModelDiagnosis found = diagnosed(*ours, theirs);
  EXPECT_EQ(found.verdict(), "differs");
  EXPECT_FALSE(found.first);
  ASSERT_EQ(found.behind.size(), 1U);
  EXPECT_EQ(found.behind.front().where.first, (Index{0, len - 1, 2}));
  EXPECT_NE(model_sentence(found).find("final_norm"), std::string::npos);
}

TEST(DiagnoseModel, NamesThatNothingKnowsAreListed) {
  const auto ours = whole_model(kModel);
  NamedNumbers theirs = OtherProgram::only(OtherProgram(*ours).dump(), {"hidden"});
  theirs["my_own_probe.3"] = theirs["hidden_states.0"];
  const ModelDiagnosis found = diagnosed(*ours, theirs);
  EXPECT_EQ(found.unknown, std::vector<std::string>{"my_own_probe.3"});
  EXPECT_EQ(found.verdict(), "equal");
}

TEST(DiagnoseModel, WhatDoesNotFitIsRefused) {
  const auto ours = whole_model(kModel);
  const NamedNumbers all = OtherProgram(*ours).dump();
  const auto with = [&](const char* name, const Tensor& tensor) {
    NamedNumbers theirs = all;
    theirs[name] = tensor;
    return theirs;
  };
  EXPECT_THROW(diagnosed(*ours, with("hidden_states.9", all.at("hidden_states.0"))), UsageError);
  EXPECT_THROW(diagnosed(*ours, with("model.layers.3", all.at("hidden_states.0"))), UsageError);
  EXPECT_THROW(diagnosed(*ours, with("hidden_states.1", all.at("hidden_states.1").sliced(1, 0, 3))), UsageError);
  EXPECT_THROW(diagnosed(*ours, with("model.layers.1", all.at("hidden_states.1"))), UsageError);
  EXPECT_THROW(diagnosed(*ours, {{"my_own_probe.3", all.at("hidden_states.0")}}), UsageError);
}

}  // namespace
}  // namespace headscope

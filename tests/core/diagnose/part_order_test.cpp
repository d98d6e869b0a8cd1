// A right result in which heads, or the features of each head, stand in another order is equal, and the order is said.
#include "core/diagnose/part_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/stage_predictor.h"
#include "core/diagnose/stage_sides.h"
#include "core/model/head_rule.h"
#include "tests/core/diagnose/model_dumps.h"

namespace headscope {
namespace {

using S = StageId;
using Names = std::vector<std::string>;
const CancelToken kOrderNever;

// Numbers of our own layer as another program has them: `order.heads`, `order.features` say where each of ours stands.
Tensor written(const PartOrder& order, const Trace& ours, StageId stage) {
  const auto back = [](const std::vector<std::int64_t>& places) {
    std::vector<std::int64_t> inverse(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
      inverse[static_cast<std::size_t>(places[k])] = static_cast<std::int64_t>(k);
    }
    return inverse;
  };
  PartOrder inverse = order;
  inverse.heads = back(order.heads);
  inverse.kv_heads = back(order.kv_heads);
  inverse.features = back(order.features);
  return in_own_order(inverse, ours, stage, ours.tensor(stage).dense_copy());
}

std::vector<ExternalStage> stages_of(const Trace& ours, const PartOrder& order, const std::vector<StageId>& stages) {
  std::vector<ExternalStage> result;
  for (const StageId stage : stages) result.push_back({stage, written(order, ours, stage)});
  return result;
}

Diagnosis order_diagnosed(const Trace& ours, std::vector<ExternalStage> theirs) {
  return diagnose(ours, std::move(theirs), make_cpu_backend(1), {}, {});
}

// Layers of models with rotary positions, in halves (llama, qwen2: with biases) and in pairs (gptj).
std::shared_ptr<const Trace> layer_of(const std::string& model) {
  return whole_model(model)->model->layers.front();
}

PartOrder features_of(const Trace& ours) {
  return other_features(ours.inputs->head_rule->rotary->rule(), ours.inputs->head_dim);
}

PartOrder heads_of(const std::vector<std::int64_t>& heads, const std::vector<std::int64_t>& kv_heads) {
  PartOrder order;
  order.heads = heads;
  order.kv_heads = kv_heads;
  return order;
}

TEST(PartOrder, PairsForHalvesAreRead) {
  for (const char* model : {"llama", "qwen2", "gptj"}) {
    const auto ours = layer_of(model);
    const PartOrder order = features_of(*ours);
    if (order.features.size() < 4) continue;
    std::vector<ExternalStage> theirs =
        stages_of(*ours, order, {S::query_proj, S::key_proj, S::query, S::key, S::weights, S::output});
    const Diagnosis found = order_diagnosed(*ours, theirs);
    EXPECT_EQ(found.verdict(), "equal") << model;
    for (const StageComparison& each : found.stages) {
      EXPECT_EQ(each.order.has_value(), each.stage <= S::key) << model << " " << stage_name(each.stage);
      EXPECT_EQ(each.read_as.empty(), each.stage > S::key);
    }
    for (ExternalStage& each : theirs) each.tensor = rounded(each.tensor, "bf16");
    EXPECT_EQ(order_diagnosed(*ours, theirs).verdict(), "equal within bfloat16") << model;
    // The picture of a stage has it in our order.
    const StageSides sides =
        stage_sides(*ours, stages_of(*ours, order, {S::query}).front(), found.stages[2], {}, make_cpu_backend(1), {});
    const std::vector<float> difference = sides.difference.values();
    EXPECT_TRUE(std::all_of(difference.begin(), difference.end(), [](float each) { return each == 0; })) << model;
  }
}

TEST(PartOrder, RowsThatAreTurnedOtherwiseAreAMistake) {
  const auto ours = layer_of("llama");
  const PartOrder order = features_of(*ours);
  // Rows in pairs that are turned as halves: the queries and keys stand in no order.
  StagePredictor predictor(*ours, S::weights, {}, make_cpu_backend(1), kOrderNever);
  const auto made = predictor.predicted({{static_cast<std::size_t>(stage_place("rotary-rows-permuted")), 0}}, nullptr);
  ASSERT_TRUE(made);
  const Tensor& own = ours->tensor(S::weights);
  std::vector<ExternalStage> theirs = stages_of(*ours, order, {S::query_proj, S::key_proj});
  theirs.push_back({S::weights, Tensor::of(own.shape(), own.axes(), {made->values.begin(), made->values.end()})});
  const Diagnosis found = order_diagnosed(*ours, theirs);
  EXPECT_EQ(found.verdict(), "explained");
  EXPECT_EQ(found.explanations.front().variants, Names{"rotary-rows-permuted"});
  // Queries alone: the scores are others.
  std::vector<ExternalStage> queries = stages_of(*ours, order, {S::query});
  queries.push_back({S::key, ours->tensor(S::key)});
  EXPECT_FALSE(order_diagnosed(*ours, queries).equal);
}

TEST(PartOrder, IsReadWhereOneSideAndWhatFollowsAreThere) {
  const auto ours = layer_of("llama");
  for (const std::vector<StageId>& stages :
       {std::vector<StageId>{S::key, S::weights}, {S::query_proj, S::output}, {S::query_proj, S::key_proj}}) {
    const Diagnosis found = order_diagnosed(*ours, stages_of(*ours, features_of(*ours), stages));
    EXPECT_EQ(found.verdict(), "equal") << stage_name(stages.front());
    EXPECT_FALSE(found.stages.front().read_as.empty());
  }
  // Of queries alone nobody knows.
  EXPECT_FALSE(order_diagnosed(*ours, stages_of(*ours, features_of(*ours), {S::query})).equal);
}

TEST(PartOrder, AMistakeBesideIsNamedAlone) {
  const auto ours = layer_of("llama");
  std::vector<ExternalStage> theirs =
      stages_of(*ours, features_of(*ours), {S::query_proj, S::key_proj, S::query, S::key, S::raw_scores});
  theirs.push_back({S::scores, ours->tensor(S::raw_scores)});
  EXPECT_EQ(order_diagnosed(*ours, theirs).explanations.front().variants, Names{"no-scale"});
}

TEST(PartOrder, HeadsInAnotherOrderAreReadWhereTheyAreSummed) {
  const auto ours = layer_of("llama");
  const std::int64_t heads = ours->num_heads(), groups = ours->inputs->num_kv_heads;
  ASSERT_GE(groups, 2);
  // The groups of heads in the other direction.
  std::vector<std::int64_t> order(static_cast<std::size_t>(heads)), kv_order(static_cast<std::size_t>(groups));
  const std::int64_t size = heads / groups;
  for (std::int64_t h = 0; h < heads; ++h)
    order[static_cast<std::size_t>(h)] = (groups - 1 - h / size) * size + h % size;
  for (std::int64_t g = 0; g < groups; ++g) kv_order[static_cast<std::size_t>(g)] = groups - 1 - g;
  const PartOrder turned = heads_of(order, kv_order);
  const std::vector<StageId> all = {S::query,   S::key,     S::value,  S::raw_scores,
                                    S::weights, S::context, S::concat, S::output};
  const Diagnosis found = order_diagnosed(*ours, stages_of(*ours, turned, all));
  EXPECT_EQ(found.verdict(), "equal");
  EXPECT_EQ(found.stages.front().order, std::optional(turned));
  EXPECT_NE(found.stages.front().read_as.find("the heads in the order 2, 3, 0, 1"), std::string::npos)
      << found.stages.front().read_as;
  EXPECT_NE(found.stages[1].read_as.find("the heads in the order 1, 0"), std::string::npos) << "of keys there are two";
  EXPECT_FALSE(found.stages.back().order) << "the output has no heads";
  // Without the output nobody knows whether its projection has them in that order, too.
  const std::vector<StageId> before(all.begin(), all.end() - 1);
  EXPECT_FALSE(order_diagnosed(*ours, stages_of(*ours, turned, before)).equal);
  // Keys in their own order are read by other queries.
  EXPECT_FALSE(order_diagnosed(*ours, stages_of(*ours, heads_of(order, {0, 1}), all)).equal);
}

TEST(PartOrder, StagesThatStandAsOursHaveNone) {
  for (const char* model : {"llama", "gpt2"}) {
    const auto ours = layer_of(model);
    std::vector<NamedStage> theirs;
    for (const StageId stage : {S::query, S::key, S::weights, S::output})
      theirs.emplace_back(stage, ours->tensor(stage));
    EXPECT_EQ(part_order(*ours, theirs, true), std::nullopt) << model;
  }
}

TEST(PartOrder, DumpsOfModelsAreReadLayerByLayer) {
  const auto ours = whole_model("llama");
  NamedNumbers dump = OtherProgram(*ours).dump();
  NamedNumbers in_pairs, turned = dump;
  for (std::size_t l = 0; l < ours->model->layers.size(); ++l) {
    const Trace& layer = *ours->model->layers[l];
    const std::string of_layer = "model.layers." + std::to_string(l) + ".self_attn.";
    in_pairs[of_layer + "q_proj"] = written(features_of(layer), layer, S::query_proj);
    in_pairs[of_layer + "k_proj"] = written(features_of(layer), layer, S::key_proj);
    in_pairs["attentions." + std::to_string(l)] = layer.tensor(S::weights);
    turned["attentions." + std::to_string(l)] = written(heads_of({2, 3, 0, 1}, {1, 0}), layer, S::weights);
    turned["past_key_values." + std::to_string(l) + ".key"] = written(heads_of({2, 3, 0, 1}, {1, 0}), layer, S::key);
    turned["past_key_values." + std::to_string(l) + ".value"] =
        written(heads_of({2, 3, 0, 1}, {1, 0}), layer, S::value);
  }
  const auto readings_of = [&](const NamedNumbers& theirs) {
    const ModelDiagnosis found = diagnosed(*ours, theirs);
    EXPECT_TRUE(found.equal());
    return found.readings;
  };
  const std::vector<std::string> pairs = readings_of(in_pairs), heads = readings_of(turned);
  ASSERT_FALSE(pairs.empty() || heads.empty());
  EXPECT_NE(pairs.front().find("the order of rotary pairs"), std::string::npos) << pairs.front();
  EXPECT_NE(heads.front().find("the heads in the order 2, 3, 0, 1"), std::string::npos) << heads.front();
}

}  // namespace
}  // namespace headscope

// Interventions beside what the engine keeps, in weights, and in words: reuse, files, explanations, problems.
#include <algorithm>
#include <numeric>

#include "core/attention/edited_weights.h"
#include "core/attention/input_problem.h"
#include "core/attention/preview.h"
#include "core/attention/stage_buffers.h"
#include "core/explain/explain.h"
#include "core/explain/weight_cells.h"
#include "tests/core/attention/intervention_cases.h"

namespace headscope {
namespace {

TEST(Interventions, WhatIsUsedAgainFromTheLastTraceChangesNoBit) {
  Chance chance{std::mt19937(11)};
  const auto backend = make_cpu_backend(2);
  const auto inputs = std::make_shared<const Inputs>(fused_inputs(QkvLayout::per_head));
  for (const std::int64_t memory : {std::int64_t{1} << 30, std::int64_t{0}}) {
    StageBuffers buffers;
    ForwardOptions options;
    options.buffers = &buffers;
    options.stage_memory = memory;
    for (int round = 0; round < 60; ++round) {
      Request request =
          chance.one_in(4) ? with(phrase_request(), {{"mask", "causal"}}) : random_request(chance, *inputs, true);
      if (chance.one_in(3)) find_request_option("edit")->set(request, "qkv_layer.weight:3,2=0.5;linear_layer.bias:1=2");
      options.previous = forward(request, inputs, backend, CancelToken(), options);
      ForwardOptions fresh;
      fresh.stage_memory = memory;
      ASSERT_TRUE(same_traces(*options.previous, *forward(request, inputs, backend, CancelToken(), fresh)))
          << fmt::format("round {}: {}", round, fmt::join(command_line_of(request), " "));
    }
  }
}

TEST(WeightTensors, AreThoseOfTheFileInItsAxes) {
  const auto numbers = [](Shape shape, float first) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    std::iota(values.begin(), values.end(), first);
    return tensor_of(shape, values);
  };
  const auto expect_same = [](const std::vector<NamedTensor>& file) {
    const std::vector<WeightTensor> found = weight_tensors(layer_weights_from(file, QkvLayout::automatic, "made"));
    ASSERT_EQ(found.size(), file.size());
    for (const NamedTensor& each : file) {
      const auto same = std::find_if(found.begin(), found.end(), [&](const auto& t) { return t.name == each.name; });
      ASSERT_NE(same, found.end()) << each.name;
      EXPECT_EQ(same->tensor.shape(), each.tensor.shape()) << each.name;
      EXPECT_EQ(same->tensor.values(), each.tensor.values()) << each.name;
    }
  };
  expect_same({{"Wq", numbers({4, 6}, 0)},
               {"Wk", numbers({4, 6}, 30)},
               {"Wv", numbers({4, 6}, 60)},
               {"Wo", numbers({6, 4}, 90)}});
  expect_same({{"q_proj_weight", numbers({6, 6}, 0)},
               {"k_proj_weight", numbers({6, 4}, 40)},
               {"v_proj_weight", numbers({6, 4}, 70)},
               {"in_proj_bias", numbers({18}, 100)},
               {"bias_k", numbers({1, 1, 6}, 120)},
               {"bias_v", numbers({1, 1, 6}, 130)},
               {"out_proj.weight", numbers({6, 6}, 140)},
               {"out_proj.bias", numbers({6}, 180)}});
}

// What a row means is what the description of the cells that feed a stage says.
TEST(WeightTensors, TheMeaningOfANumberIsWhereItIsUsed) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    const auto backend = make_cpu_backend(1);
    const auto trace = run(phrase_request(), fused_inputs(layout), backend);
    const Inputs& inputs = *trace->inputs;
    for (const auto& [part, name] : {std::pair{Part::query, "query"}, {Part::key, "key"}, {Part::value, "value"}}) {
      for (std::int64_t o = 0; o < part_features(inputs, part); ++o) {
        const CellSource source = projection_cells(*trace, part, o).front();
        Index index;
        for (const Range& range : source.region) index.push_back(range.size() > 1 ? 2 : range.begin);
        EXPECT_EQ(
            weight_meaning(*trace, source.name, index),
            fmt::format("{} feature {} of head {} ← input feature 2", name, o % inputs.head_dim, o / inputs.head_dim));
      }
    }
    const CellSource output = output_projection_cells(*trace, 3).front();
    EXPECT_EQ(weight_meaning(*trace, output.name, {3, inputs.head_dim + 1}),
              fmt::format("output feature 3 ← concat feature {} (head 1)", inputs.head_dim + 1));
    EXPECT_EQ(weight_meaning(*trace, "nothing", {0, 0}), "");
  }
}

TEST(Interventions, AnEditOfAWeightIsTheLayerWithThatWeight) {
  const auto expect_edited = [](const std::vector<NamedTensor>& file, const Inputs& sized, const std::string& name,
                                const Index& at) {
    std::vector<NamedTensor> changed = file;
    std::string place;
    for (NamedTensor& each : changed) {
      if (each.name != name) continue;
      std::vector<float> values = each.tensor.values();
      std::int64_t offset = 0;
      for (int axis = 0; axis < at.count; ++axis) {
        offset = offset * each.tensor.dim(axis) + at[axis];
        place += fmt::format("{}{}", axis == 0 ? "" : ",", at[axis]);
      }
      values[static_cast<std::size_t>(offset)] = 1.75F;
      each.tensor = tensor_of(each.tensor.shape(), values);
    }
    Inputs before = sized, after = sized;
    before.weights = layer_weights_from(file, QkvLayout::automatic, "made");
    after.weights = layer_weights_from(changed, QkvLayout::automatic, "made");
    const Request request = with(phrase_request(), {{"edit", name + ":" + place + "=1.75"}});
    const auto backend = make_cpu_backend(1);
    const auto edited = run(request, before, backend);
    EXPECT_TRUE(same_traces(*edited, *run(phrase_request(), after, backend))) << name << " " << place;
    EXPECT_FALSE(same_traces(*edited, *run(phrase_request(), before, backend))) << name << " " << place;
  };
  const Inputs sized =
      fused_inputs(QkvLayout::per_head, {.batch = 1, .len = 4, .input_dim = 6, .heads = 2, .head_dim = 3});
  const auto file = [](std::initializer_list<std::pair<const char*, Shape>> tensors) {
    std::vector<NamedTensor> named;
    for (const auto& [name, shape] : tensors)
      named.push_back({name, random_tensor(shape, static_cast<std::uint32_t>(named.size()))});
    return named;
  };
  const auto tutorial = file({{"qkv_layer.weight", {18, 6}},
                              {"qkv_layer.bias", {18}},
                              {"linear_layer.weight", {6, 6}},
                              {"linear_layer.bias", {6}}});
  expect_edited(tutorial, sized, "qkv_layer.weight", {17, 2});
  expect_edited(tutorial, sized, "qkv_layer.bias", {0});
  expect_edited(tutorial, sized, "linear_layer.weight", {1, 5});
  expect_edited(tutorial, sized, "linear_layer.bias", {5});
  const auto plain = file({{"Wq", {6, 6}}, {"Wk", {6, 6}}, {"Wv", {6, 6}}, {"Wo", {6, 6}}});
  for (const char* name : {"Wq", "Wk", "Wv", "Wo"}) expect_edited(plain, sized, name, {4, 1});
  const auto torch = file({{"q_proj_weight", {6, 6}},
                           {"k_proj_weight", {6, 6}},
                           {"v_proj_weight", {6, 6}},
                           {"in_proj_bias", {18}},
                           {"out_proj.weight", {6, 6}},
                           {"out_proj.bias", {6}},
                           {"bias_k", {1, 1, 6}},
                           {"bias_v", {1, 1, 6}}});
  for (const std::int64_t at : {0, 5, 6, 11, 12, 17}) expect_edited(torch, sized, "in_proj_bias", {at});
  expect_edited(torch, sized, "k_proj_weight", {2, 3});
  expect_edited(torch, sized, "bias_k", {0, 0, 4});
  expect_edited(torch, sized, "bias_v", {0, 0, 1});
}

TEST(Interventions, KeysAndValuesOfCrossAttentionAreEditedApart) {
  Inputs inputs = fused_inputs(QkvLayout::blocked);
  inputs.key_x = random_tensor({2, 3, 7}, 50);
  inputs.value_x = inputs.key_x;
  inputs.key_len = 3;
  inputs.key_tokens = numbered_tokens("k", 3);
  Request request = phrase_request();
  request.key_phrase = "x y z";
  for (const char* which : {"key_input", "value_input"}) {
    Inputs changed = inputs;
    std::vector<float> values = inputs.key_x.values();
    values[(1 * 3 + 2) * 7 + 4] = 3.0F;
    (std::string_view(which) == "key_input" ? changed.key_x : changed.value_x) = tensor_of({2, 3, 7}, values);
    const auto edited = run(with(request, {{"edit", std::string(which) + ":1,2,4=3"}}), inputs, make_cpu_backend(1));
    EXPECT_TRUE(same_traces(*edited, *run(request, changed, make_cpu_backend(1)))) << which;
  }
}

TEST(Interventions, NothingIsFoldedIntoAPreview) {
  Request request = with(phrase_request(), {{"freeze", "0.0=uniform"}});
  const auto last = run(request, fused_inputs(QkvLayout::per_head), make_cpu_backend(1));
  request.phrase = "a b c d f";
  EXPECT_EQ(preview_of(last, request, last->inputs, make_cpu_backend(1), 0.0, CancelToken()), nullptr);
}

TEST(InterventionsExplained, EveryCellOfEditedRequestsLandsOnItsStoredValue) {
  Chance chance{std::mt19937(21)};
  std::int64_t cells = 0, edited = 0, held = 0;
  for (int round = 0; round < 18; ++round) {
    const bool fused = round % 2 == 0;
    const Inputs inputs =
        fused ? fused_inputs(QkvLayout::per_head, {.batch = 1, .len = 4, .input_dim = 5, .heads = 2, .head_dim = 3})
              : alone_inputs({1, 5, 5, 4, 2, 3, 2});
    const Request request = random_request(chance, inputs, fused);
    const auto trace = run(request, inputs, all_backends()[static_cast<std::size_t>(round) % 3]);
    for (const Stage& stage : trace->stages) {
      const Shape& shape = stage.tensor.shape();
      Index at;
      for (int axis = 0; axis < shape.count; ++axis) at.push_back(0);
      for (std::int64_t k = 0; k < element_count(shape); ++k, ++cells) {
        const Explanation why = explain(*trace, stage.id, at);
        const double value = why.steps.back().value;
        const double scale = std::max(why.magnitude, std::abs(why.value));
        ASSERT_TRUE(value == why.value || (std::isnan(value) && std::isnan(why.value)) ||
                    std::abs(value - why.value) <= 1e-5 * scale)
            << cell_name(stage_name(stage.id), at) << " " << value << " for " << why.value;
        edited += why.steps.back().name == "edited";
        held += why.steps[0].name == "head held";
        for (int axis = shape.count - 1; axis >= 0 && ++at[axis] == shape[axis]; --axis) at[axis] = 0;
      }
    }
  }
  EXPECT_GT(cells, 4000);
  EXPECT_GT(edited, 10);
  EXPECT_GT(held, 100);
}

TEST(InterventionsExplained, AnEditSaysWhatWasThereAndAFactorWhatItMultiplies) {
  const Inputs inputs = alone_inputs({});
  const auto trace =
      run(with(alone_request(),
               {{"edit", "query:0,1,2,0=4;scores:0,0,1,1=0.5"}, {"scale-query", "2"}, {"freeze", "0.1=uniform"}}),
          inputs, make_reference_backend());
  const Explanation query = explain(*trace, StageId::query, {0, 1, 2, 0});
  const float given = inputs.query.at({0, 1, 2, 0});
  ASSERT_EQ(query.steps.size(), 3u);
  EXPECT_EQ(query.steps[0].value, static_cast<double>(given));
  EXPECT_EQ(query.steps[1].name, "× scale-query");
  EXPECT_EQ(query.steps[1].value, 2.0 * static_cast<double>(given));
  EXPECT_EQ(query.steps[2].expression, fmt::format("was {}, is 4 by --edit", 2 * given));
  EXPECT_EQ(query.steps[2].value, 4.0);
  const Explanation score = explain(*trace, StageId::scores, {0, 0, 1, 1});
  EXPECT_EQ(score.steps.back().name, "edited");
  EXPECT_TRUE(score.formula.ends_with(", then edited")) << score.formula;
  const Explanation weight = explain(*trace, StageId::weights, {0, 1, 3, 0});
  EXPECT_EQ(weight.steps.back().expression, "uniform: 1 / 5 visible keys");
}

TEST(InterventionProblems, APlaceThatIsNotThereIsNamedAndCanBeSwitchedOff) {
  const Inputs inputs = fused_inputs(QkvLayout::per_head);
  const std::vector<std::tuple<const char*, const char*, const char*>> cases = {
      {"edit", "scores:0,0,5,0=1", "scores[0, 0, 5, 0] is outside"},
      {"edit", "scores:2,0,0,0=1", "scores[2, 0, 0, 0] is outside"},
      {"edit", "scores:0,0,0=1", "scores has 4 axes"},
      {"edit", "input:0,0,0,0=1", "input has 3 axes"},
      {"edit", "capped_scores:0,0,0,0=1", "this request has no stage capped_scores"},
      {"edit", "dropped_weights:0,0,0,0=1", "this request has no stage dropped_weights"},
      {"edit", "key_input:0,0,0=1", "this request has no stage key_input"},
      {"edit", "query_proj:0,0,0=1", "this request has no stage query_proj"},
      {"edit", "Wq:0,0=1", "there is no Wq"},
      {"edit", "qkv_layer.weight:18,0=1", "qkv_layer.weight[18, 0] is outside"},
      {"edit", "qkv_layer.weight:3=1", "qkv_layer.weight has 2 axes"},
      {"edit", "1/scores:0,0,0,0=1", "there is no layer 1"},
      {"freeze", "0.2=uniform", "there is no head 2"},
      {"freeze", "1.0=identity", "there is no layer 1"},
      {"scale-query", "0.2=2", "there is no head 2"},
      {"scale-key", "3.0=2", "there is no layer 3"},
  };
  for (const auto& [option, value, title] : cases) {
    const Request request = with(phrase_request(), {{option, value}});
    const auto problem = find_problem(request, inputs);
    ASSERT_TRUE(problem.has_value()) << value;
    EXPECT_EQ(problem->title, title);
    EXPECT_EQ(problem->option, option);
    ASSERT_EQ(problem->suggestions.size(), 1u) << value;
    Request off = request;
    find_request_option(problem->suggestions[0].option)->set(off, problem->suggestions[0].value);
    EXPECT_FALSE(find_problem(off, inputs)) << value;
    EXPECT_FALSE(find_problem(with(phrase_request(), {{option, std::string("off:") + value}}), inputs)) << value;
  }
}

}  // namespace
}  // namespace headscope

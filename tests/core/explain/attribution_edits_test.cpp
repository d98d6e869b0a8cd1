// Interventions change who made a logit, and the parts stay its sum.
#include <cmath>

#include "core/model/checkpoint.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

const AttributionPart* part_of(const Attribution& found, const std::string& name, std::int64_t layer,
                               std::int64_t head = -1) {
  for (const AttributionPart& part : found.parts) {
    if (part.name == name && part.layer == layer && part.head.value_or(-1) == head) return &part;
  }
  return nullptr;
}

std::int64_t count_of(const Attribution& found, const std::string& name) {
  return std::count_if(found.parts.begin(), found.parts.end(),
                       [&](const AttributionPart& part) { return part.name == name; });
}

struct Case {
  const char* model;
  ModelOptionTexts options;
};

TEST(AttributionEdits, WhateverIsDoneThePartsAreTheLogit) {
  const std::vector<Case> cases = {
      {"gpt2", {{"ablate", "0.1"}}},
      {"gpt2", {{"freeze", "0.0=uniform,1.1=identity"}}},
      {"gpt2", {{"dropout", "0.4"}, {"dropout-seed", "3"}}},
      {"gpt2", {{"merge", "direct"}}},
      {"gpt2", {{"mask", "window:1"}}},
      {"gpt2", {{"mask-fill", "-3"}}},
      {"gpt2", {{"scale-query", "2"}, {"paint", "hide@3,0:2"}}},
      {"gpt2", {{"variant", "softmax-over-queries"}}},
      {"gpt2", {{"variant", "mask-after-softmax"}}},
      {"gpt2", {{"edit", "0/weights:0,1,3,0=0.9"}}},
      {"gpt2", {{"edit", "0/value:0,1,1,2=5"}}},
      {"gpt2", {{"edit", "0/context:0,1,3,1=4"}}},
      {"gpt2", {{"edit", "1/concat:0,3,2=-4"}}},
      {"gpt2", {{"edit", "0/output:0,3,4=2;1/output:0,3,0=-2"}}},
      {"gpt2", {{"ablate", "0.1"}, {"edit", "0/context:0,1,3,1=4"}}},
      {"gpt2", {{"merge", "direct"}, {"edit", "0/concat:0,3,4=7"}}},
      {"opt-after", {{"edit", "0/input:0,3,4=2;0/output:0,3,1=3"}}},
      {"gemma2", {{"edit", "0/attention_norm_out:0,3,4=2;1/output:0,3,0=-2"}}},
      {"olmo2", {{"edit", "1/output:0,3,0=1.5"}, {"ablate", "0.0"}}},
      {"qwen3", {{"edit", "0/value:0,0,1,2=5"}, {"dropout", "0.5"}}},
  };
  for (const Case& each : cases) {
    const auto trace = whole_model(golden_request(each.model), each.options);
    const std::string what = std::string(each.model) + ", " + each.options[0].first + " " + each.options[0].second;
    const Attribution whole = attributed(*trace, 3, {3, 1}, AttributionBy::components);
    expect_exact(whole, what);
    for (const AttributionBy by : {AttributionBy::heads, AttributionBy::sources}) {
      const Attribution found = attributed(*trace, 3, {3, 1}, by);
      expect_exact(found, what);
      for (std::int64_t layer = 0; layer < 2; ++layer) {
        EXPECT_TRUE(std::abs(attention_sum(found, layer) - attention_sum(whole, layer)) <= 1e-5 * largest_part(found))
            << what << ", layer " << layer;
      }
    }
  }
}

TEST(AttributionEdits, APatchedMlpWritesWhatItWasGiven) {
  for (const char* name : {"gpt2", "llama", "gemma2", "opt-after"}) {
    Request other = golden_request(name);
    other.token_ids[1] = other.token_ids[2];
    const auto trace = patched_model(golden_request(name), other, "0/mlp_out:3@A;1/mlp_out@A");
    for (const AttributionBy by : kEveryWay) expect_exact(attributed(*trace, 3, {3, 1}, by), name);
    const auto without = whole_model(golden_request(name));
    const Attribution found = attributed(*trace, 3, {3}, AttributionBy::components),
                      before = attributed(*without, 3, {3}, AttributionBy::components);
    EXPECT_NE(part_of(found, "mlp", 0)->value, part_of(before, "mlp", 0)->value) << name;
  }
}

TEST(AttributionEdits, AnAblatedHeadAddsNothing) {
  const auto trace = whole_model(golden_request("gpt2"), {{"ablate", "0.1,off:1.0"}});
  const Attribution heads = attributed(*trace, 3, {3}, AttributionBy::heads);
  EXPECT_EQ(part_of(heads, "head", 0, 1)->value, 0.0);
  EXPECT_NE(part_of(heads, "head", 1, 0)->value, 0.0);
  EXPECT_NE(part_of(heads, "head", 0, 0)->value, 0.0);
  const Attribution sources = attributed(*trace, 3, {3}, AttributionBy::sources);
  std::int64_t of_ablated = 0;
  for (const AttributionPart& part : sources.parts) {
    if (part.layer != 0 || part.head != 1) continue;
    ++of_ablated;
    EXPECT_EQ(part.value, 0.0);
  }
  EXPECT_EQ(of_ablated, trace->key_len());
}

TEST(AttributionEdits, OfAFrozenHeadOneTokenOrAllAlikeAreRead) {
  const auto trace = whole_model(golden_request("gpt2"), {{"freeze", "1.0=identity"}});
  for (const AttributionPart& part : attributed(*trace, 3, {3}, AttributionBy::sources).parts) {
    if (part.layer != 1 || part.head != 0) continue;
    EXPECT_EQ(part.value != 0.0, part.key == 3) << *part.key;
  }
}

TEST(AttributionEdits, WhatWasWrittenByHandIsAPartOfItsOwn) {
  const auto plain = whole_model(golden_request("gpt2"));
  for (const AttributionBy by : kEveryWay) EXPECT_EQ(count_of(attributed(*plain, 3, {3}, by), "edited"), 0);
  const auto trace = whole_model(golden_request("gpt2"), {{"edit", "1/context:0,1,3,1=4;1/output:0,3,0=-2"}});
  EXPECT_EQ(count_of(attributed(*trace, 3, {3}, AttributionBy::components), "edited"), 0) << "attention holds it";
  const Attribution heads = attributed(*trace, 3, {3}, AttributionBy::heads);
  EXPECT_EQ(count_of(heads, "edited"), 1) << "of the output; the context is the head's";
  EXPECT_NE(part_of(heads, "edited", 1), nullptr);
  const Attribution sources = attributed(*trace, 3, {3}, AttributionBy::sources);
  EXPECT_EQ(count_of(sources, "edited"), 2);
  ASSERT_NE(part_of(sources, "edited", 1, 1), nullptr);
  EXPECT_NEAR(part_of(sources, "edited", 1)->value, part_of(heads, "edited", 1)->value, 1e-6 * largest_part(heads));
  // An edit to the number that is there adds nothing.
  const double old = plain->model->layers[1]->tensor(StageId::context).at({0, 1, 3, 1});
  const auto only = whole_model(golden_request("gpt2"), {{"edit", "1/context:0,1,3,1=4"}});
  const Attribution edited = attributed(*only, 3, {3}, AttributionBy::sources);
  const auto twice = whole_model(golden_request("gpt2"), {{"edit", "1/context:0,1,3,1=" + std::to_string(old)}});
  EXPECT_TRUE(std::abs(part_of(attributed(*twice, 3, {3}, AttributionBy::sources), "edited", 1, 1)->value) <=
              1e-5 * largest_part(edited))
      << "the number that is there is no change";
  // At other positions nothing was edited.
  EXPECT_EQ(count_of(attributed(*trace, 2, {3}, AttributionBy::sources), "edited"), 0);
}

TEST(AttributionEdits, WhatAHiddenKeyHoldsDoesNotCount) {
  const auto plain = whole_model(golden_request("gpt2"));
  const auto trace = whole_model(golden_request("gpt2"), {{"edit", "1/value:0,0,3,0=inf"}});
  const Attribution a = attributed(*plain, 1, {3}, AttributionBy::sources);
  const Attribution b = attributed(*trace, 1, {3}, AttributionBy::sources);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t k = 0; k < a.parts.size(); ++k) EXPECT_EQ(a.parts[k].value, b.parts[k].value);
}

TEST(AttributionEdits, TheShownLayerDoesNotMatter) {
  const auto last = whole_model(golden_request("gpt2"), {{"ablate", "1.1"}});
  const auto first = whole_model(golden_request("gpt2"), {{"ablate", "1.1"}, {"layer", "0"}});
  for (const AttributionBy by : kEveryWay) {
    const Attribution a = attributed(*last, 3, {3}, by), b = attributed(*first, 3, {3}, by);
    EXPECT_EQ(a.total, b.total);
    EXPECT_EQ(a.sum, b.sum);
  }
}

TEST(AttributionEdits, StagesThatAreComputedWhenReadGiveTheSame) {
  EngineOptions options;
  options.whole_model = true;
  options.stage_memory = 0;
  const auto stored = whole_model(golden_request("gpt2"), {{"ablate", "0.0"}});
  const auto read = Engine(options).run(stored->request, CancelToken());
  ASSERT_NE(read->on_demand, nullptr);
  for (const AttributionBy by : kEveryWay) {
    const Attribution a = attributed(*stored, 3, {3}, by), b = attributed(*read, 3, {3}, by);
    ASSERT_EQ(a.parts.size(), b.parts.size());
    for (std::size_t k = 0; k < a.parts.size(); ++k) EXPECT_EQ(a.parts[k].value, b.parts[k].value);
  }
}

}  // namespace
}  // namespace headscope

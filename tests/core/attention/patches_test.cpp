// Numbers of another run are put into one layer, and the result is held against plain loops.
#include "core/attention/patches.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/explain/cell_origin.h"
#include "core/explain/explain.h"
#include "core/request/request_text.h"
#include "core/request/stage_info.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request layer_of(const std::string& phrase, const std::vector<std::pair<const char*, std::string>>& more = {}) {
  Request request;
  request.phrase = phrase;
  request.d_model = 12;
  request.heads = 3;
  request.backend = BackendChoice::cpu;
  request.threads = 2;
  for (const auto& [option, text] : more) find_request_option(option)->set(request, text);
  return request;
}

const std::string kA = "the cat sat on mats", kB = "the dog ran on mats";

Request patched(Request request, const std::string& patch) {
  find_request_option("patch")->set(request, patch);
  request.patch_from = "a.json";
  return request;
}

EngineOptions reading(const Request& a) {
  EngineOptions options;
  options.read_request = [a](const std::string& path) {
    EXPECT_EQ(path, "a.json");
    return a;
  };
  return options;
}

std::shared_ptr<const Trace> patches_run(const Request& request, const Request& a = layer_of(kA)) {
  return Engine(reading(a)).run(request, CancelToken());
}

TEST(Patches, AStageIsAsOnceAndAllBehindItFollows) {
  const auto a = patches_run(layer_of(kA)), b = patches_run(layer_of(kB));
  for (const StageId stage : all_stages()) {
    if (b->find(stage) == nullptr) continue;
    const auto found = patches_run(patched(layer_of(kB), fmt::format("{}@A", stage_name(stage))));
    EXPECT_TRUE(same_bits(found->tensor(stage), a->tensor(stage))) << stage_name(stage);
    EXPECT_NE(found->find(stage)->operation.find(", from A"), std::string::npos) << found->find(stage)->operation;
    for (const Stage& other : found->stages) {
      if (other.id >= stage) continue;
      EXPECT_TRUE(same_bits(other.tensor, b->tensor(other.id))) << stage_name(stage) << " " << stage_name(other.id);
    }
  }
  // What makes all that follows is all that follows.
  for (const char* all :
       {"input@A", "query@A;key@A;value@A", "weights@A;value@A", "masked_scores@A;value@A", "context@A"}) {
    const auto found = patches_run(patched(layer_of(kB), all));
    EXPECT_TRUE(same_bits(found->tensor(StageId::output), a->tensor(StageId::output))) << all;
  }
  const auto off = patches_run(patched(layer_of(kB), "off:weights@A;off:input@A"));
  for (const Stage& stage : b->stages) EXPECT_TRUE(same_bits(off->tensor(stage.id), stage.tensor));
}

// One head of the context: what changes in the output is W_O's block of that head times the difference.
TEST(Patches, AHeadsContextGoesThroughItsBlockOfTheOutputProjection) {
  const auto a = patches_run(layer_of(kA)), b = patches_run(layer_of(kB)),
             found = patches_run(patched(layer_of(kB), "context:1@A"));
  const Tensor& output = found->inputs->weights.output.weight;
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t o = 0; o < 12; ++o) {
      double difference = 0;
      for (std::int64_t d = 0; d < 4; ++d) {
        difference += static_cast<double>(output.at({o, 4 + d})) *
                      (static_cast<double>(a->tensor(StageId::context).at({0, 1, i, d})) -
                       static_cast<double>(b->tensor(StageId::context).at({0, 1, i, d})));
      }
      const double now = static_cast<double>(found->tensor(StageId::output).at({0, i, o})) -
                         static_cast<double>(b->tensor(StageId::output).at({0, i, o}));
      EXPECT_TRUE(std::abs(now - difference) <= 1e-6) << i << " " << o << ": " << now << " for " << difference;
    }
  }
}

TEST(Patches, AHeadAndAPositionAreTheOnlyOnes) {
  const auto a = patches_run(layer_of(kA)), b = patches_run(layer_of(kB));
  const auto check = [&](const char* patch, StageId stage, const auto& covers) {
    const auto found = patches_run(patched(layer_of(kB), patch));
    const Tensor& tensor = found->tensor(stage);
    Index at;
    for (int axis = 0; axis < tensor.rank(); ++axis) at.push_back(0);
    for (std::int64_t k = 0; k < tensor.size(); ++k) {
      std::int64_t left = k;
      for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
        at[axis] = left % tensor.dim(axis);
        left /= tensor.dim(axis);
      }
      EXPECT_EQ(tensor.at(at), (covers(at) ? a : b)->tensor(stage).at(at)) << patch << " " << to_string(at);
      EXPECT_EQ(is_patched(*found, stage, at), covers(at)) << patch << " " << to_string(at);
    }
  };
  check("weights:1,2@A", StageId::weights, [](const Index& at) { return at[1] == 1 && at[2] == 2; });
  check("key:2@A", StageId::key, [](const Index& at) { return at[1] == 2; });
  check("value:,4@A", StageId::value, [](const Index& at) { return at[2] == 4; });
  check("concat:3@A", StageId::concat, [](const Index& at) { return at[1] == 3; });
  check("qkv_split:1,3@A", StageId::qkv_split, [](const Index& at) { return at[1] == 3 && at[2] == 1; });
  check("scores:0@A;scores:,1@A", StageId::scores, [](const Index& at) { return at[1] == 0 || at[2] == 1; });
}

TEST(Patches, TextsOfOtherLengthsAreMatchedByTheirEnds) {
  const Request longer = layer_of("the very old cat sat on mats");
  const auto a = patches_run(longer), b = patches_run(layer_of(kB));
  const auto found = patches_run(patched(layer_of(kB), "context@A;weights@A"), longer);
  EXPECT_EQ(found->inputs->patches->query_of, (std::vector<std::int64_t>{0, -1, -1, 5, 6}));
  EXPECT_EQ(found->inputs->patches->notice,
            "patch: positions without a partner in A keep their own numbers: 1 'dog', 2 'ran'");
  const std::vector<std::int64_t> of = found->inputs->patches->query_of;
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t from = of[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < 5; ++j) {
      const std::int64_t key = of[static_cast<std::size_t>(j)];
      const float own = b->tensor(StageId::weights).at({0, 2, i, j});
      const float wanted = from < 0 || key < 0 ? own : a->tensor(StageId::weights).at({0, 2, from, key});
      EXPECT_EQ(found->tensor(StageId::weights).at({0, 2, i, j}), wanted) << i << " " << j;
    }
    for (std::int64_t d = 0; from >= 0 && d < 4; ++d) {
      EXPECT_EQ(found->tensor(StageId::context).at({0, 2, i, d}), a->tensor(StageId::context).at({0, 2, from, d}));
    }
  }
}

// An engine that keeps what it can gives the bits of one that keeps nothing, whatever the request before was.
TEST(Patches, OneAfterTheOtherAreTheBitsOfAFreshEngine) {
  EngineOptions options = reading(layer_of(kA));
  options.reuse = true;
  Engine engine(options);
  for (const char* patch : {"none", "context:0@A", "context:1@A", "weights:1@A", "weights:1@A;value@A",
                            "off:weights:1@A", "query@A", "scores:0,2@A", "none", "input:2@A", "key:1@A", "output@A"}) {
    for (const std::string& phrase : {kB, std::string("the dog ran on"), kB}) {
      for (const char* mask : {"none", "causal"}) {
        const Request request = patched(layer_of(phrase, {{"mask", mask}}), patch);
        const auto found = engine.run(request, CancelToken()), fresh = patches_run(request);
        ASSERT_EQ(found->stages.size(), fresh->stages.size());
        for (const Stage& stage : fresh->stages) {
          EXPECT_TRUE(same_bits(found->tensor(stage.id), stage.tensor)) << patch << " " << stage_name(stage.id);
        }
      }
    }
  }
}

TEST(Patches, ComeBehindFactorsAndBeforeEdits) {
  const auto a = patches_run(layer_of(kA));
  const auto found = patches_run(patched(
      layer_of(kB, {{"scale-query", "3"}, {"ablate", "0.1"}, {"edit", "query:0,0,1,2=7"}}), "query:0@A;context:1@A"));
  EXPECT_EQ(found->tensor(StageId::query).at({0, 0, 1, 2}), 7.0F);
  EXPECT_EQ(found->tensor(StageId::query).at({0, 0, 1, 1}), a->tensor(StageId::query).at({0, 0, 1, 1}));
  EXPECT_EQ(found->tensor(StageId::context).at({0, 1, 0, 0}), a->tensor(StageId::context).at({0, 1, 0, 0}));
}

TEST(Patches, WhatIsComputedWhenReadIsPatchedWhenRead) {
  const auto kept = patches_run(patched(layer_of(kB), "context:1@A;output:2@A"));
  EngineOptions options = reading(layer_of(kA));
  options.stage_memory = 0;
  const auto found = Engine(options).run(patched(layer_of(kB), "context:1@A;output:2@A"), CancelToken());
  ASSERT_NE(found->on_demand, nullptr);
  for (const StageId stage : {StageId::context, StageId::concat, StageId::output}) {
    const std::vector<float> a = found->tensor(stage).values(), b = kept->tensor(stage).values();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(std::abs(a[k] - b[k]) <= 1e-6F) << stage_name(stage);
  }
  try {
    Engine(options).run(patched(layer_of(kB), "weights@A"), CancelToken());
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), "patch");
  }
}

TEST(Patches, AnExplanationSaysThatANumberIsAs) {
  const auto found = patches_run(patched(layer_of(kB), "context:1@A"));
  const Explanation why = explain(*found, StageId::context, {0, 1, 2, 3});
  EXPECT_NE(why.formula.find(", then patched"), std::string::npos) << why.formula;
  ASSERT_FALSE(why.steps.empty());
  EXPECT_EQ(why.steps.back().name, "patched");
  EXPECT_EQ(why.steps.back().value, static_cast<double>(found->tensor(StageId::context).at({0, 1, 2, 3})));
  EXPECT_EQ(explain(*found, StageId::context, {0, 0, 2, 3}).formula.find("patched"), std::string::npos);
}

void expect_refused(const Request& request, const Request& a, const std::string& part) {
  try {
    patches_run(request, a);
    ADD_FAILURE() << "ran: " << part;
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Patches, WhatCannotBeIsRefused) {
  const Request a = layer_of(kA), b = layer_of(kB);
  expect_refused(patched(b, "context:3@A"), a, "--patch: context has no head 3. The 3 heads are 0 to 2.");
  expect_refused(patched(b, "context:0,5@A"), a, "--patch: context has no position 5. The 5 positions are 0 to 4.");
  expect_refused(patched(b, "1/context@A"), a, "--patch: there is no layer 1");
  expect_refused(patched(b, "stream@A"), a, "--patch: one layer has no stream");
  expect_refused(patched(b, "capped_scores@A"), a, "--patch: this request has no stage capped_scores");
  Request without = patched(b, "context@A");
  without.patch_from.clear();
  expect_refused(without, a, "--patch: there is no run to take numbers from");
  expect_refused(patched(layer_of(kB, {{"softcap", "5"}}), "capped_scores@A"), a,
                 "--patch: A has no stage capped_scores");
  expect_refused(patched(b, "context@A"), layer_of(kA, {{"heads", "4"}}), "--patch: context is [1, 4, 5, 3] in A and");
  expect_refused(patched(b, "context@A"), patched(a, "query@A"), "--patch-from: a.json is patched itself");
  expect_refused(patched(b, "context@A"), layer_of(kA, {{"heads", "5"}}),
                 "--patch-from: the request of a.json cannot run");
  EngineOptions options;
  EXPECT_THROW(Engine(options).run(patched(b, "context@A"), CancelToken()), UsageError);
}

}  // namespace
}  // namespace headscope

// Predictions that share heads and raw scores are those of a predictor that has made nothing before, for every mistake.
#include "core/diagnose/stage_predictor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/thread_pool.h"
#include "core/diagnose/mistake_rows.h"
#include "tests/core/diagnose/model_dumps.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

const CancelToken kPredictorNever;

bool predictor_same_bits(const std::optional<WideStage>& a, const std::optional<WideStage>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->shape == b->shape && a->values.size() == b->values.size() &&
         (a->values.empty() || std::memcmp(a->values.data(), b->values.data(), a->values.size() * sizeof(double)) == 0);
}

#ifdef HEADSCOPE_SANITIZED
constexpr std::size_t kPredictorStep = 24;  // of the pairs: all of them take minutes there
#else
constexpr std::size_t kPredictorStep = 1;
#endif

// Every mistake alone, in every variation, and any two of them.
std::vector<MistakeSet> sets_of_mistakes(bool pairs) {
  std::vector<MistakeSet> sets = {{}};
  for (std::size_t place = 0; place < all_mistakes().size(); ++place) {
    for (int variation = 0; variation < all_mistakes()[place].variations; ++variation)
      sets.push_back({{place, variation}});
    for (std::size_t other = place % kPredictorStep; other < place && pairs; other += kPredictorStep)
      sets.push_back({{other, 0}, {place, 0}});
  }
  return sets;
}

std::string names_of(const MistakeSet& set) {
  std::string names;
  for (const auto& each : set) names += std::string(all_mistakes()[each.first].name) + " ";
  return names;
}

TEST(StagePredictor, WhatPredictionsShareChangesNone) {
  const auto llama = whole_model("llama")->model->layers.front();
  const auto phrase = small_trace(5, {{"mask", "causal,alibi"}, {"softcap", "3"}});
  const NumberGrid& half = number_grids().front();
  for (const auto& ours : {llama, phrase}) {
    for (const StageId stage : {StageId::raw_scores, StageId::weights, StageId::output}) {
      for (const NumberGrid* grid : {static_cast<const NumberGrid*>(nullptr), &half}) {
        StagePredictor shared(*ours, stage, {}, make_cpu_backend(1), kPredictorNever);
        const std::vector<MistakeSet> sets = sets_of_mistakes(grid == nullptr && stage == StageId::output);
        std::vector<std::optional<WideStage>> made(sets.size());
        ThreadPool pool(4);
        pool.run(static_cast<std::int64_t>(sets.size()), true, [&](std::int64_t k) {
          made[static_cast<std::size_t>(k)] = shared.predicted(sets[static_cast<std::size_t>(k)], grid);
        });
        // One prediction on all threads, and all predictions on a thread each.
        StagePredictor pooled(*ours, stage, {}, make_cpu_backend(1), kPredictorNever, &pool);
        for (std::size_t k = 0; k < sets.size() && stage != StageId::output; ++k) {
          ASSERT_TRUE(predictor_same_bits(made[k], pooled.predicted(sets[k], grid)))
              << stage_name(stage) << " " << names_of(sets[k]);
        }
        for (std::size_t k = 0; k < sets.size(); ++k) {
          StagePredictor fresh(*ours, stage, {}, make_cpu_backend(1), kPredictorNever);
          ASSERT_TRUE(predictor_same_bits(made[k], fresh.predicted(sets[k], grid)))
              << stage_name(stage) << " " << names_of(sets[k]);
        }
        // Other queries have other scores.
        shared.look_at({1, 3});
        StagePredictor fresh(*ours, stage, {}, make_cpu_backend(1), kPredictorNever);
        fresh.look_at({1, 3});
        EXPECT_TRUE(predictor_same_bits(shared.predicted({}, grid), fresh.predicted({}, grid))) << stage_name(stage);
      }
    }
  }
}

}  // namespace
}  // namespace headscope

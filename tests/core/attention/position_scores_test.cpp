// Scores of relative positions: what they add in every way that attention is computed, and what is refused beside them.
#include "core/attention/position_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/forward.h"
#include "core/backend/backend_factory.h"
#include "core/compare/rounded_forward.h"
#include "core/explain/explain.h"
#include "core/explain/sensitivity.h"
#include "core/model/position_tables.h"
#include "core/model/relative_positions.h"
#include "core/request/memory.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

Request scores_request_of(const std::string& model, BackendChoice backend = BackendChoice::cpu) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model;
  request.token_ids = {3, 14, 15, 9, 2, 6, 5, 8};
  request.layer = 1;
  request.backend = backend;
  return request;
}

std::shared_ptr<const Trace> scores_run(const Request& request, std::int64_t memory = kDefaultMemoryLimit) {
  EngineOptions options;
  options.stage_memory = memory;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

Request scores_with(Request request, const char* option, const char* value) {
  find_request_option(option)->set(request, value);
  return request;
}

void visit_scores(const Trace& trace, const std::function<void(const Index&)>& visit) {
  for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
    for (std::int64_t i = 0; i < trace.query_len(); ++i) {
      for (std::int64_t j = 0; j < trace.key_len(); ++j) visit({0, h, i, j});
    }
  }
}

double at(const Trace& trace, StageId stage, const Index& index) {
  return static_cast<double>(trace.tensor(stage).at(index));
}

// Both parts by loops in double, and visible cells as the sum of all three.
void expect_parts(const Trace& trace, double tolerance) {
  const RelativePositions& positions = *trace.inputs->relative_positions;
  visit_scores(trace, [&](const Index& cell) {
    const std::int64_t h = cell[1], i = cell[2], j = cell[3], row = positions.row_of(i, j);
    double c2p = 0, p2c = 0;
    for (std::int64_t d = 0; d < trace.inputs->head_dim; ++d) {
      c2p += at(trace, StageId::query, {0, h, i, d}) * static_cast<double>(trace.position_heads->keys.at({h, row, d}));
      p2c += at(trace, StageId::key, {0, h, j, d}) * static_cast<double>(trace.position_heads->queries.at({h, row, d}));
    }
    const double within = tolerance * std::max({1.0, std::abs(c2p), std::abs(p2c)});
    EXPECT_NEAR(at(trace, StageId::c2p, cell), c2p * trace.scale, within);
    EXPECT_NEAR(at(trace, StageId::p2c, cell), p2c * trace.scale, within);
    if (trace.mask->hidden.hidden(0, h, i, j)) return;
    const double sum = at(trace, StageId::scores, cell) + at(trace, StageId::c2p, cell) + at(trace, StageId::p2c, cell);
    EXPECT_NEAR(at(trace, StageId::masked_scores, cell), sum, within + tolerance * std::abs(sum));
  });
}

// The published formula at its own sizes, by hand: 256 buckets, 512 positions.
TEST(PositionScores, RowsOfTheTable) {
  const DisentangledRule rule{.c2p = true, .p2c = true, .buckets = 256, .most_distance = 512};
  const std::pair<std::int64_t, std::int64_t> known[] = {{0, 256},    {1, 257},   {-1, 255},  {128, 384}, {129, 385},
                                                         {-129, 127}, {200, 425}, {-200, 87}, {511, 511}, {-511, 1},
                                                         {512, 511},  {-512, 0},  {600, 511}, {-600, 0}};
  for (const auto& [distance, row] : known) EXPECT_EQ(relative_row(rule, distance), row) << distance;
  const DisentangledRule plain{.c2p = true, .most_distance = 4};
  for (std::int64_t distance = -6; distance <= 6; ++distance) {
    EXPECT_EQ(relative_row(plain, distance), std::min<std::int64_t>(std::max<std::int64_t>(distance + 4, 0), 7));
  }
}

TEST(PositionScores, AreSummedInEveryWayOfComputing) {
  for (const BackendChoice backend : {BackendChoice::reference, BackendChoice::cpu}) {
    const Request plain = scores_request_of("deberta_v2", backend);
    const auto kept = scores_run(plain), on_demand = scores_run(plain, 0);
    expect_parts(*kept, 3e-6);
    EXPECT_NE(on_demand->on_demand, nullptr);
    for (const StageId stage : {StageId::c2p, StageId::masked_scores, StageId::weights, StageId::context}) {
      EXPECT_EQ(kept->tensor(stage).values(), on_demand->tensor(stage).values()) << stage_name(stage);
    }
    for (const auto& [option, value] : {std::pair{"mask", "alibi,padding:2"},
                                        {"batch", "2"},
                                        {"scale", "0.3"},
                                        {"scale-query", "1.1=2"},
                                        {"edit", "1/scores:0,2,4,1=1.5"},
                                        {"variant", "softmax-over-queries"},
                                        {"variant", "no-scale"}}) {
      const auto trace = scores_run(scores_with(plain, option, value));
      if (std::string(option) != "mask" && std::string(option) != "edit") expect_parts(*trace, 1e-5);
      const auto again = scores_run(scores_with(plain, option, value), 0);
      EXPECT_EQ(trace->tensor(StageId::weights).values(), again->tensor(StageId::weights).values()) << option;
    }
  }
}

TEST(PositionScores, AMaskAddsToThem) {
  Request first = scores_request_of("deberta_v2");
  first.layer = 0;
  const auto trace = scores_run(scores_with(first, "mask", "alibi"));
  visit_scores(*trace, [&](const Index& cell) {
    const double sum = at(*trace, StageId::scores, cell) + at(*trace, StageId::c2p, cell) +
                       at(*trace, StageId::p2c, cell) + static_cast<double>(trace->terms().added.at(cell));
    EXPECT_NEAR(at(*trace, StageId::masked_scores, cell), sum, 1e-5);
  });
}

// A run uses again what the run before it computed, and gives what it gives as the first one.
TEST(PositionScores, ARunAfterAnotherHasTheNumbersOfAFirstOne) {
  for (const char* mask : {"none", "causal"}) {
    Engine engine;
    Request request = scores_with(scores_request_of("deberta_v2"), "mask", mask);
    engine.run(request, CancelToken());
    for (const auto& change : std::vector<std::function<void(Request&)>>{
             [](Request& r) { r.token_ids.push_back(11); }, [](Request& r) { r.token_ids[2] = 1; },
             [](Request& r) { r.scale = 0.25; }, [](Request& r) { r.token_ids.resize(5); },
             [](Request& r) { find_request_option("mask")->set(r, "padding:1"); }}) {
      change(request);
      const auto again = engine.run(request, CancelToken()), first = scores_run(request);
      for (const StageId stage : {StageId::c2p, StageId::p2c, StageId::masked_scores, StageId::weights}) {
        EXPECT_EQ(again->tensor(stage).values(), first->tensor(stage).values()) << mask << " " << stage_name(stage);
      }
    }
  }
}

// Where the layer's own projections make keys of positions, an edit of their weights changes these, too.
TEST(PositionScores, AnEditedProjectionMakesOtherPositions) {
  const std::string edit = "1/deberta.encoder.layer.1.attention.self.key_proj.weight:7,3=4";
  const auto plain = scores_run(scores_request_of("deberta_v2")),
             edited = scores_run(scores_with(scores_request_of("deberta_v2"), "edit", edit.c_str()));
  expect_parts(*edited, 3e-6);
  const auto feature = [](const Trace& trace, std::int64_t d) { return trace.position_heads->keys.at({1, 0, d}); };
  EXPECT_NE(feature(*plain, 1), feature(*edited, 1));
  EXPECT_EQ(feature(*plain, 2), feature(*edited, 2));
}

// An edited number of a part goes into the scores of its cell alone.
TEST(PositionScores, AnEditedPartGoesOn) {
  const auto plain = scores_run(scores_request_of("deberta_v2"));
  const auto edited = scores_run(scores_with(scores_request_of("deberta_v2"), "edit", "1/c2p:0,1,2,3=4"));
  EXPECT_EQ(edited->tensor(StageId::c2p).at({0, 1, 2, 3}), 4.0F);
  visit_scores(*edited, [&](const Index& cell) {
    const bool own = cell == Index{0, 1, 2, 3};
    const double moved = own ? 4 - at(*plain, StageId::c2p, cell) : 0;
    EXPECT_NEAR(at(*edited, StageId::masked_scores, cell), at(*plain, StageId::masked_scores, cell) + moved, 1e-5);
  });
  const Explanation why = explain(*edited, StageId::c2p, {0, 1, 2, 3});
  EXPECT_EQ(why.steps.back().name, "edited");
}

TEST(PositionScores, AreExplainedByQueriesKeysAndPositions) {
  const auto trace = scores_run(scores_request_of("deberta_v2"));
  for (const StageId stage : {StageId::c2p, StageId::p2c}) {
    const Explanation why = explain(*trace, stage, {0, 2, 1, 5});
    EXPECT_EQ(std::ssize(why.terms), trace->inputs->head_dim);
    EXPECT_EQ(why.steps.size(), 2U);
    EXPECT_NEAR(why.steps.back().value, why.value, 1e-6);
    EXPECT_EQ(why.operands[1].stage, stage == StageId::c2p ? "position_keys" : "position_queries");
    EXPECT_NE(why.formula.find("· scale"), std::string::npos) << why.formula;
  }
  const Explanation masked = explain(*trace, StageId::masked_scores, {0, 2, 1, 5});
  ASSERT_EQ(masked.operands.size(), 3U);
  EXPECT_EQ(masked.formula, "masked_scores[b,h,i,j] = hidden ? fill : scores[b,h,i,j] + c2p[b,h,i,j] + p2c[b,h,i,j]");
  EXPECT_NEAR(masked.operands[0].value + masked.operands[1].value + masked.operands[2].value, masked.value, 1e-6);
}

// The derivative of a weight by the layer's input, against differences of runs of the layer whose input is moved.
TEST(PositionScores, DerivativesPassThem) {
  for (const char* model : {"deberta_v2", "deberta_v2-own", "deberta_v2-c2p", "deberta_v2-p2c"}) {
    Request request = scores_request_of(model, BackendChoice::reference);
    request.layer = 0;
    const auto trace = scores_run(request);
    Index target{0, 0, 0, 0};  // the weight that depends most on its scores
    visit_scores(*trace, [&](const Index& cell) {
      const auto slack = [&](const Index& each) { return std::abs(at(*trace, StageId::weights, each) - 0.5); };
      if (slack(cell) < slack(target)) target = cell;
    });
    const Sensitivity found = sensitivity(*trace, StageId::weights, target, CancelToken());
    ASSERT_EQ(found.tokens.size(), 1U);
    const auto weight_with = [&](std::int64_t cell, float by) {
      auto moved = std::make_shared<Inputs>(*trace->inputs);
      std::vector<float> values = moved->x.values();
      values[static_cast<std::size_t>(cell)] += by;
      moved->x = Tensor::of(moved->x.shape(), moved->x.axes(), std::move(values));
      return at(*forward(request, moved, make_reference_backend(), CancelToken()), StageId::weights, target);
    };
    const std::vector<float> gradient = found.tokens.front().gradient.values();
    double largest = 0;
    for (const float each : gradient) largest = std::max(largest, std::abs(static_cast<double>(each)));
    ASSERT_GT(largest, 1e-3);
    for (std::int64_t cell = 0; cell < std::ssize(gradient); cell += 5) {
      const double slope = (weight_with(cell, 0.01F) - weight_with(cell, -0.01F)) / 0.02;
      EXPECT_NEAR(gradient[static_cast<std::size_t>(cell)], slope, 5e-3 * largest) << model << " " << cell;
    }
  }
}

// What the layer gives in double beside what it gives in float32.
TEST(PositionScores, HaveTheirPlaceInOtherPrecisions) {
  const auto trace = scores_run(scores_request_of("deberta_v2-own"));
  const WideStages wide = forward_in_double(*trace, CancelToken());
  for (const StageId stage : {StageId::c2p, StageId::p2c, StageId::masked_scores, StageId::weights, StageId::output}) {
    const std::vector<float> values = trace->tensor(stage).values();
    const WideStage& found = wide.at(stage);
    ASSERT_EQ(found.values.size(), values.size()) << stage_name(stage);
    for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(found.values[k], values[k], 2e-5) << stage_name(stage);
  }
}

TEST(PositionScores, AModelHasThePartsThatItNames) {
  EXPECT_EQ(scores_run(scores_request_of("deberta_v2-c2p"))->find(StageId::p2c), nullptr);
  EXPECT_NE(scores_run(scores_request_of("deberta_v2-c2p"))->find(StageId::c2p), nullptr);
  EXPECT_EQ(scores_run(scores_request_of("deberta_v2-p2c"))->find(StageId::c2p), nullptr);
  EXPECT_EQ(scores_run(scores_request_of("electra"))->find(StageId::c2p), nullptr);
  EXPECT_EQ(scores_run(scores_request_of("electra"))->mask_of_terms, nullptr);
}

TEST(PositionScores, WhatWouldScaleOrBoundThemWronglyIsRefused) {
  const std::pair<const char*, const char*> refused[] = {
      {"mask-order", "before-scale"}, {"softcap", "2"}, {"past", "1"}};
  for (const auto& [option, value] : refused) {
    try {
      scores_run(scores_with(scores_request_of("deberta_v2"), option, value));
      ADD_FAILURE() << option;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("relative positions"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace headscope

// What follows from a capture, and what stays as it was captured.
#include "core/attention/capture_trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/attention/model_trace.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

const Axes kHeadAxes{Axis::batch, Axis::head, Axis::position, Axis::feature};
const Axes kWeightAxes{Axis::batch, Axis::head, Axis::query, Axis::key};

// Numbers between -1 and 1 that differ from cell to cell.
Tensor wavy(const Shape& shape, const Axes& axes, double step) {
  Tensor tensor = Tensor::zeros(shape, axes);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data()[i] = static_cast<float>(std::sin(step * static_cast<double>(i + 1)));
  }
  return tensor;
}

// softmax(q . k / sqrt(head_dim)) in double precision, of keys up to the query where `causal`.
Tensor trace_softmax_of(const Tensor& query, const Tensor& key, bool causal) {
  const std::int64_t group = query.dim(1) / key.dim(1);
  Tensor weights = Tensor::zeros({query.dim(0), query.dim(1), query.dim(2), key.dim(2)}, kWeightAxes);
  float* out = weights.mutable_data();
  for (std::int64_t b = 0; b < query.dim(0); ++b) {
    for (std::int64_t h = 0; h < query.dim(1); ++h) {
      for (std::int64_t i = 0; i < query.dim(2); ++i, out += key.dim(2)) {
        double sum = 0;
        std::vector<double> row;
        for (std::int64_t j = 0; j < key.dim(2); ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < query.dim(3); ++d) {
            score += static_cast<double>(query.at({b, h, i, d})) * static_cast<double>(key.at({b, h / group, j, d}));
          }
          row.push_back(causal && j > i ? 0 : std::exp(score / std::sqrt(static_cast<double>(query.dim(3)))));
          sum += row.back();
        }
        for (std::size_t j = 0; j < row.size(); ++j) out[j] = static_cast<float>(row[j] / sum);
      }
    }
  }
  return weights;
}

void expect_near(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(found.shape(), expected.shape());
  const std::vector<float> left = found.values(), right = expected.values();
  for (std::size_t at = 0; at < left.size(); ++at) ASSERT_NEAR(left[at], right[at], 2e-6F) << at;
}

class CaptureTrace : public ::testing::Test {
 protected:
  CaptureTrace() {
    query_ = wavy({1, 4, 5, 8}, kHeadAxes, 0.7);
    key_ = wavy({1, 2, 5, 8}, kHeadAxes, 1.1);
    value_ = wavy({1, 2, 5, 3}, kHeadAxes, 0.3);
    capture_->path = "folder/some.safetensors";
    capture_->tokens = capture_->key_tokens = {"a", "b", "c", "d", "e"};
    capture_->batch = 1;
    capture_->query_len = capture_->key_len = 5;
  }
  void add(CapturedLayer layer) { capture_->layers.push_back(std::move(layer)); }
  std::shared_ptr<const Trace> run(const Request& request = model_request(), std::int64_t memory = 1 << 30) {
    ForwardOptions options;
    options.stage_memory = memory;
    return capture_trace(request, capture_, make_cpu_backend(1), {}, options);
  }
  static Request model_request() {
    Request request;
    request.model = "folder/some.safetensors";
    return request;
  }
  static std::vector<StageId> stages_of(const Trace& trace) {
    std::vector<StageId> ids;
    for (const Stage& stage : trace.stages) ids.push_back(stage.id);
    return ids;
  }

  Tensor query_, key_, value_;
  std::shared_ptr<Capture> capture_ = std::make_shared<Capture>();
};

TEST_F(CaptureTrace, WeightsStayAsTheyWereCaptured) {
  const Tensor weights = trace_softmax_of(query_, key_, false);
  add({weights, {}, {}, {}});
  const auto trace = run();
  EXPECT_EQ(stages_of(*trace), (std::vector<StageId>{StageId::weights}));
  EXPECT_TRUE(same_storage(trace->tensor(StageId::weights), weights));
  EXPECT_EQ(trace->find(StageId::weights)->operation, "captured");
  EXPECT_EQ(trace->query_labels(), capture_->tokens);
  EXPECT_EQ(trace->num_heads(), 4);
  ASSERT_NE(trace->model, nullptr);
  EXPECT_TRUE(trace->model->captured);
  EXPECT_EQ(trace->model->name, "some.safetensors");
  EXPECT_FALSE(trace->model->capture->weights_difference.has_value());
  EXPECT_EQ(trace->model->capture->row_sums->off, 0);
  EXPECT_EQ(capture_warning(*trace->model->capture), "");
}

TEST_F(CaptureTrace, ValuesGiveContextAndConcat) {
  const Tensor weights = trace_softmax_of(query_, key_, false);
  add({weights, {}, {}, value_});
  Request request = model_request();
  request.ablate = {{0, 1}};
  const auto trace = run(request);
  EXPECT_EQ(stages_of(*trace),
            (std::vector<StageId>{StageId::value, StageId::weights, StageId::context, StageId::concat}));
  EXPECT_EQ(trace->find(StageId::context)->operation, "· value, head 1 = 0");
  const Tensor& context = trace->tensor(StageId::context);
  for (std::int64_t h = 0; h < 4; ++h) {
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t d = 0; d < 3; ++d) {
        double expected = 0;
        for (std::int64_t j = 0; h != 1 && j < 5; ++j) {
          expected += static_cast<double>(weights.at({0, h, i, j})) * static_cast<double>(value_.at({0, h / 2, j, d}));
        }
        EXPECT_NEAR(context.at({0, h, i, d}), expected, 1e-6);
        EXPECT_EQ(trace->tensor(StageId::concat).at({0, i, 3 * h + d}), context.at({0, h, i, d}));
      }
    }
  }
}

TEST_F(CaptureTrace, QueriesAndKeysGiveScoresAndWeights) {
  add({{}, query_, key_, {}});
  const auto trace = run();
  EXPECT_EQ(stages_of(*trace), (std::vector<StageId>{StageId::query, StageId::key, StageId::raw_scores, StageId::scores,
                                                     StageId::masked_scores, StageId::weights}));
  EXPECT_EQ(trace->find(StageId::query)->operation, "captured");
  EXPECT_EQ(trace->find(StageId::key)->operation, "captured");
  EXPECT_EQ(trace->find(StageId::weights)->operation, "softmax");
  expect_near(trace->tensor(StageId::weights), trace_softmax_of(query_, key_, false));

  Request masked = model_request();
  masked.mask = {{MaskTerm::Kind::causal, 0, ""}};
  expect_near(run(masked)->tensor(StageId::weights), trace_softmax_of(query_, key_, true));
}

TEST_F(CaptureTrace, CapturedAndComputedWeightsAreCompared) {
  const Tensor weights = trace_softmax_of(query_, key_, false);
  add({weights, query_, key_, value_});
  auto trace = run();
  EXPECT_NE(trace->find(StageId::concat), nullptr);
  EXPECT_LT(trace->model->capture->weights_difference.value(), 1e-6);
  EXPECT_EQ(capture_warning(*trace->model->capture), "");

  Tensor biased = weights.dense_copy();
  biased.mutable_data()[3] += 0.25F;
  capture_->layers[0].weights = biased;
  trace = run();
  EXPECT_NEAR(trace->model->capture->weights_difference.value(), 0.25, 1e-6);
  EXPECT_EQ(trace->model->capture->row_sums->off, 1);
  const std::string warning = capture_warning(*trace->model->capture);
  EXPECT_NE(warning.find("1 of 20 rows"), std::string::npos) << warning;
  EXPECT_NE(warning.find("differ by up to 0.25"), std::string::npos) << warning;

  biased.mutable_data()[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(run()->model->capture->weights_difference.value()));
}

TEST_F(CaptureTrace, ACausalMaskIsSeenInTheWeights) {
  add({trace_softmax_of(query_, key_, true), query_, key_, {}});
  const auto trace = run();
  EXPECT_TRUE(trace->model->capture->causal);
  EXPECT_LT(trace->model->capture->weights_difference.value(), 1e-6);
  EXPECT_TRUE(trace->mask->hidden.hidden(0, 0, 0, 1));
}

// The same without queries and keys: the mask is shown, and the numbers stay.
TEST_F(CaptureTrace, WeightsAloneThatLookCausalAreMaskedSo) {
  CapturedLayer alone;
  alone.weights = Tensor::of({1, 1, 2, 2}, kWeightAxes, {1, 0, 0.25F, 0.75F});
  capture_->query_len = capture_->key_len = 2;
  capture_->tokens = capture_->key_tokens = {"a", "b"};
  capture_->layers = {alone, alone};
  const auto trace = run();
  EXPECT_TRUE(trace->model->capture->causal);
  EXPECT_FALSE(trace->model->capture->says_causal);
  EXPECT_FALSE(trace->model->capture->mask_left_out);
  EXPECT_TRUE(same_storage(trace->tensor(StageId::weights), alone.weights));
  for (const auto& layer : trace->model->layers) {
    EXPECT_TRUE(layer->mask->hidden.hidden(0, 0, 0, 1));
    EXPECT_FALSE(layer->mask->hidden.hidden(0, 0, 1, 0));
  }
  capture_->layers[1].causal = false;
  EXPECT_FALSE(run()->mask->hidden.any());
  capture_->layers = {alone};
  capture_->layers[0].weights = Tensor::of({1, 1, 2, 2}, kWeightAxes, {0.5F, 0.5F, 0.25F, 0.75F});
  EXPECT_FALSE(run()->mask->hidden.any());
  EXPECT_FALSE(run()->model->capture->mask_left_out);
}

TEST_F(CaptureTrace, TheLastLayerIsShownAndAllAreThere) {
  add({trace_softmax_of(query_, key_, false), {}, {}, {}});
  add({});
  add({{}, query_, key_, {}});
  auto trace = run();
  EXPECT_EQ(trace->model->layer, 2);
  EXPECT_NE(trace->find(StageId::query), nullptr);
  ASSERT_EQ(trace->model->layers.size(), 3u);
  EXPECT_NE(trace->model->layers[0], nullptr);
  EXPECT_EQ(trace->model->layers[1], nullptr);
  EXPECT_EQ(trace->model->layers[0]->model, nullptr);
  EXPECT_EQ(trace->model->layers[0]->request.layer, 0);

  trace = run(model_request(), 1);
  EXPECT_EQ(trace->model->layers[0], nullptr) << "only what is shown when all are too large";
  expect_near(trace->tensor(StageId::weights), trace_softmax_of(query_, key_, false));

  Request request = model_request();
  request.layer = 1;
  EXPECT_THROW(run(request), UsageError);
  request.layer = 3;
  EXPECT_THROW(run(request), UsageError);
  request.layer = 0;
  EXPECT_EQ(run(request)->find(StageId::query), nullptr);
}

TEST_F(CaptureTrace, WhatCapturedWeightsCannotFollowIsRefused) {
  add({trace_softmax_of(query_, key_, false), {}, {}, {}});
  const auto refused = [&](const auto& change) {
    Request request = model_request();
    change(request);
    EXPECT_THROW(run(request), UsageError);
  };
  refused([](Request& r) { r.mask = {{MaskTerm::Kind::causal, 0, ""}}; });
  refused([](Request& r) { r.scale = 2; });
  refused([](Request& r) { r.softcap = 2; });
  refused([](Request& r) { r.dropout = 0.5; });
  refused([](Request& r) { r.variants = {Variant::no_scale}; });
  refused([](Request& r) { r.ablate = {{0, 1}}; });
  refused([](Request& r) { r.heads = 3; });
  refused([](Request& r) { r.d_model = 64; });  // there is no width to agree with
  refused([](Request& r) { r.batch = 2; });
  Request repeated = model_request();
  repeated.heads = 4;
  repeated.batch = 1;
  EXPECT_NO_THROW(run(repeated));
}

}  // namespace
}  // namespace headscope

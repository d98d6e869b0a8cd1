// A capture opens as it was computed: with its mask, its scale, its scores, and layers of several lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/explain/cell_origin.h"
#include "core/export/manifest.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const Axes kHeadAxes{Axis::batch, Axis::head, Axis::position, Axis::feature};
const Axes kWeightAxes{Axis::batch, Axis::head, Axis::query, Axis::key};

Tensor wavy(const Shape& shape, const Axes& axes, double step) {
  Tensor tensor = Tensor::zeros(shape, axes);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data()[i] = static_cast<float>(std::sin(step * static_cast<double>(i + 1)));
  }
  return tensor;
}

class CaptureFacts : public ::testing::Test {
 protected:
  static constexpr std::int64_t kQueries = 3, kKeys = 4, kHeads = 2, kWidth = 5;

  CaptureFacts() {
    capture_->path = "folder/some.safetensors";
    capture_->batch = 1;
    capture_->query_len = kQueries;
    capture_->key_len = kKeys;
    capture_->tokens = {"a", "b", "c"};
    capture_->key_tokens = {"w", "x", "y", "z"};
    layer_.query = wavy({1, kHeads, kQueries, kWidth}, kHeadAxes, 0.7);
    layer_.key = wavy({1, kHeads, kKeys, kWidth}, kHeadAxes, 1.1);
    layer_.value = wavy({1, kHeads, kKeys, kWidth}, kHeadAxes, 0.3);
  }

  // q · k · scale in double precision.
  double score(std::int64_t h, std::int64_t i, std::int64_t j, double scale) const {
    double sum = 0;
    for (std::int64_t d = 0; d < kWidth; ++d) {
      sum += static_cast<double>(layer_.query.at({0, h, i, d})) * static_cast<double>(layer_.key.at({0, h, j, d}));
    }
    return sum * scale;
  }
  Tensor scores(double scale) const {
    Tensor result = Tensor::zeros({1, kHeads, kQueries, kKeys}, kWeightAxes);
    for (std::int64_t at = 0; at < result.size(); ++at) {
      result.mutable_data()[at] =
          static_cast<float>(score(at / (kQueries * kKeys), at / kKeys % kQueries, at % kKeys, scale));
    }
    return result;
  }
  // softmax(scores + added) in double precision.
  static Tensor softmax(const Tensor& scores, const Tensor& added) {
    Tensor result = scores.dense_copy();
    for (std::int64_t row = 0; row < kHeads * kQueries; ++row) {
      double sum = 0;
      std::vector<double> powers;
      for (std::int64_t j = 0; j < kKeys; ++j) {
        const double bias = added.empty() ? 0 : static_cast<double>(added.values()[row % kQueries * kKeys + j]);
        powers.push_back(std::exp(static_cast<double>(scores.values()[row * kKeys + j]) + bias));
        sum += powers.back();
      }
      for (std::int64_t j = 0; j < kKeys; ++j) {
        result.mutable_data()[row * kKeys + j] = static_cast<float>(powers[static_cast<std::size_t>(j)] / sum);
      }
    }
    return result;
  }
  static void expect_near(const Tensor& found, const Tensor& expected) {
    ASSERT_EQ(found.shape(), expected.shape());
    const std::vector<float> left = found.values(), right = expected.values();
    for (std::size_t at = 0; at < left.size(); ++at) {
      EXPECT_TRUE(std::abs(left[at] - right[at]) <= 2e-6F) << at << ": " << left[at] << " " << right[at];
    }
  }
  // Hides (0, 1) and adds to (2, 3).
  static CapturedMask added_mask() {
    Tensor added = Tensor::zeros({kQueries, kKeys}, {Axis::query, Axis::key});
    added.mutable_data()[1] = -kInfinity;
    added.mutable_data()[2 * kKeys + 3] = 1.5F;
    return {added, false, "some.safetensors: mask"};
  }
  static Request model_request() {
    Request request;
    request.model = "folder/some.safetensors";
    return request;
  }
  std::shared_ptr<const Trace> run(const Request& request = model_request()) {
    if (capture_->layers.empty()) capture_->layers.push_back(layer_);
    return capture_trace(request, capture_, make_cpu_backend(1), {}, {});
  }
  static std::vector<StageId> stages_of(const Trace& trace) {
    std::vector<StageId> ids;
    for (const Stage& stage : trace.stages) ids.push_back(stage.id);
    return ids;
  }

  CapturedLayer layer_;
  std::shared_ptr<Capture> capture_ = std::make_shared<Capture>();
};

TEST_F(CaptureFacts, ScaleAndMaskAreThoseOfTheFile) {
  layer_.scale = 0.3;
  layer_.mask = added_mask();
  layer_.weights = softmax(scores(0.3), layer_.mask.values);
  const auto trace = run();
  expect_near(trace->tensor(StageId::weights), layer_.weights);
  EXPECT_TRUE(trace->model->capture->weights_difference.value() < 1e-6);
  EXPECT_EQ(trace->scale, 0.3);
  EXPECT_EQ(trace->find(StageId::scores)->operation, "× 0.3");
  EXPECT_TRUE(trace->mask->hidden.hidden(0, 1, 0, 1));
  EXPECT_EQ(trace->tensor(StageId::weights).at({0, 0, 0, 1}), 0);
  EXPECT_TRUE(trace->model->capture->mask);
  EXPECT_EQ(capture_warning(*trace->model->capture), "");
  // What the request says of files is no word on the captured mask, and its scale comes first.
  Request request = model_request();
  request.mask_kind = MaskKind::hide;
  expect_near(run(request)->tensor(StageId::weights), layer_.weights);
  request.scale = 1.0;
  expect_near(run(request)->tensor(StageId::weights), softmax(scores(1), layer_.mask.values));
}

TEST_F(CaptureFacts, ABooleanMaskKeeps) {
  Tensor keep = Tensor::zeros({1, 1, kQueries, kKeys}, kWeightAxes);
  std::fill_n(keep.mutable_data(), keep.size(), 1.0F);
  keep.mutable_data()[1] = 0;
  layer_.mask = {keep, true, "some.safetensors: layers.0.mask"};
  Tensor added = Tensor::zeros({kQueries, kKeys}, {Axis::query, Axis::key});
  added.mutable_data()[1] = -kInfinity;
  expect_near(run()->tensor(StageId::weights), softmax(scores(1 / std::sqrt(5.0)), added));
}

TEST_F(CaptureFacts, TheFileSaysWhetherScoresAreCausal) {
  layer_.causal = true;
  Tensor later = Tensor::zeros({kQueries, kKeys}, {Axis::query, Axis::key});
  for (std::int64_t i = 0; i < kQueries; ++i) {
    for (std::int64_t j = i + 1; j < kKeys; ++j) later.mutable_data()[i * kKeys + j] = -kInfinity;
  }
  const auto trace = run();
  expect_near(trace->tensor(StageId::weights), softmax(scores(1 / std::sqrt(5.0)), later));
  EXPECT_TRUE(trace->model->capture->causal && trace->model->capture->says_causal);
}

TEST_F(CaptureFacts, WeightsThatLookCausalAreNotWhereTheFileSaysSo) {
  Tensor identity = Tensor::zeros({1, 1, 2, 2}, kWeightAxes);
  identity.mutable_data()[0] = identity.mutable_data()[3] = 1;
  CapturedLayer layer;
  layer.weights = identity;
  layer.query = layer.key = wavy({1, 1, 2, 3}, kHeadAxes, 0.7);
  capture_->query_len = capture_->key_len = 2;
  capture_->tokens = capture_->key_tokens = {"a", "b"};
  capture_->layers = {layer};
  EXPECT_TRUE(run()->model->capture->causal);
  capture_->layers[0].causal = false;
  EXPECT_FALSE(run()->model->capture->causal);
  EXPECT_FALSE(run()->mask->hidden.any());
}

TEST_F(CaptureFacts, CapturedWeightsStandBesideTheComputedOnes) {
  layer_.weights = softmax(scores(0.5), {});
  const auto trace = run();
  EXPECT_EQ(stages_of(*trace), (std::vector<StageId>{StageId::query, StageId::key, StageId::value, StageId::raw_scores,
                                                     StageId::scores, StageId::masked_scores, StageId::weights,
                                                     StageId::captured_weights, StageId::context, StageId::concat}));
  EXPECT_TRUE(same_storage(trace->tensor(StageId::captured_weights), layer_.weights));
  EXPECT_EQ(trace->find(StageId::captured_weights)->operation, "captured");
  expect_near(trace->tensor(StageId::weights), softmax(scores(1 / std::sqrt(5.0)), {}));
  EXPECT_EQ(origin_of(*trace, StageId::captured_weights, {0, 1, 2, 3}).step, CellStep::given);
  EXPECT_NE(manifest_json(*trace, {}, {}, {}).find("\"captured_weights\""), std::string::npos);
}

TEST_F(CaptureFacts, ScoresAloneGiveWeightsUnderTheMask) {
  CapturedLayer scored;
  scored.scores = scores(0.4);
  scored.value = layer_.value;
  scored.mask = added_mask();
  scored.weights = softmax(scored.scores, scored.mask.values);
  const CapturedLayer whole = layer_;
  capture_->layers = {scored};
  const auto trace = run();
  EXPECT_EQ(stages_of(*trace),
            (std::vector<StageId>{StageId::value, StageId::scores, StageId::masked_scores, StageId::weights,
                                  StageId::captured_weights, StageId::context, StageId::concat}));
  EXPECT_EQ(trace->find(StageId::scores)->operation, "captured");
  EXPECT_EQ(trace->find(StageId::masked_scores)->operation, "+ file mask");
  expect_near(trace->tensor(StageId::weights), scored.weights);
  EXPECT_TRUE(trace->model->capture->weights_difference.value() < 1e-6);
  EXPECT_EQ(origin_of(*trace, StageId::scores, {0, 0, 0, 0}).step, CellStep::given);
  EXPECT_EQ(origin_of(*trace, StageId::weights, {0, 0, 0, 0}).step, CellStep::softmax);
  // The same context as from queries and keys.
  capture_->layers = {whole};
  capture_->layers[0].scale = 0.4;
  capture_->layers[0].mask = added_mask();
  expect_near(run()->tensor(StageId::concat), trace->tensor(StageId::concat));
}

TEST_F(CaptureFacts, CapturedScoresTakeWhatComesAfterThem) {
  CapturedLayer scored;
  scored.scores = scores(2);
  const CapturedLayer whole = layer_;
  Request request = model_request();
  request.mask = {{MaskTerm::Kind::padding, 1, ""}};
  request.softcap = 1.5;
  request.dropout = 0.5;
  request.fully_masked = FullyMasked::zero;
  capture_->layers = {scored};
  const auto found = run(request);
  capture_->layers = {whole};
  capture_->layers[0].scale = 2;
  const auto expected = run(request);
  for (const StageId stage :
       {StageId::scores, StageId::capped_scores, StageId::masked_scores, StageId::weights, StageId::dropped_weights}) {
    const std::vector<float> left = found->tensor(stage).values(), right = expected->tensor(stage).values();
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t at = 0; at < left.size(); ++at) {
      const bool same = left[at] == right[at] || std::abs(left[at] - right[at]) <= 2e-6F;
      EXPECT_TRUE(same) << stage_name(stage) << ' ' << at << ' ' << left[at] << ' ' << right[at];
    }
  }
  capture_->layers = {scored};
  const auto refused = [&](const auto& change) {
    Request changed = model_request();
    change(changed);
    EXPECT_THROW(run(changed), UsageError);
  };
  refused([](Request& r) { r.scale = 2; });
  refused([](Request& r) { r.mask_order = MaskOrder::before_scale; });
  refused([](Request& r) { r.variants = {Variant::no_scale}; });
  refused([](Request& r) { r.ablate = {{0, 1}}; });
  Request inverted = model_request();
  inverted.variants = {Variant::mask_inverted};
  EXPECT_THROW(run(inverted), ProblemError);
}

TEST_F(CaptureFacts, AMaskOfWeightsAloneIsShownUnlessTheyContradictIt) {
  CapturedLayer alone;
  alone.weights = softmax(scores(1), added_mask().values);
  alone.mask = added_mask();
  capture_->layers = {alone};
  auto trace = run();
  EXPECT_TRUE(trace->mask->hidden.hidden(0, 0, 0, 1));
  EXPECT_FALSE(trace->model->capture->mask_left_out);
  capture_->layers[0].weights = softmax(scores(1), {});
  trace = run();
  EXPECT_FALSE(trace->mask->hidden.any()) << "numbers that are there are not drawn as hidden";
  EXPECT_TRUE(trace->model->capture->mask_left_out);
  EXPECT_NE(capture_warning(*trace->model->capture).find("hides cells whose captured weights are not 0"),
            std::string::npos);
}

TEST_F(CaptureFacts, LayersOfOtherLengthsAreChosenByNumber) {
  CapturedLayer encoder;
  encoder.weights = wavy({1, 3, kKeys, kKeys}, kWeightAxes, 0.1);
  encoder.names = CapturedNames{capture_->key_tokens, capture_->key_tokens, true, true};
  const CapturedLayer cross = layer_;
  capture_->layers = {encoder, cross, cross};
  auto trace = run();
  EXPECT_EQ(trace->query_labels(), capture_->tokens);
  EXPECT_EQ(trace->key_labels(), capture_->key_tokens);
  EXPECT_EQ(trace->model->layers[0], nullptr);
  EXPECT_NE(trace->model->layers[1], nullptr);
  EXPECT_EQ(trace->model->capture->other_lengths, (std::vector<std::int64_t>{0}));
  Request request = model_request();
  request.layer = 0;
  trace = run(request);
  EXPECT_EQ(trace->query_len(), kKeys);
  EXPECT_EQ(trace->query_labels(), capture_->key_tokens);
  EXPECT_EQ(trace->num_heads(), 3);
  EXPECT_EQ(trace->model->capture->other_lengths, (std::vector<std::int64_t>{1, 2}));
}

TEST_F(CaptureFacts, WhatStandsBeforeThePatchesOfAnImageIsSpecial) {
  capture_->query_len = kKeys;
  capture_->tokens = capture_->key_tokens;
  layer_.query = wavy({1, kHeads, kKeys, kWidth}, kHeadAxes, 0.7);
  layer_.grid = ImageGrid{1, 3};
  EXPECT_EQ(run()->inputs->words, (std::vector<std::int64_t>{-1, 0, 1, 2}));
  capture_->layers.clear();
  layer_.grid.reset();
  EXPECT_TRUE(run()->inputs->words.empty());
}

}  // namespace
}  // namespace headscope

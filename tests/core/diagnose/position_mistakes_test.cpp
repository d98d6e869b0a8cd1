// Mistakes in biases of relative positions and in scales that are not the usual one, made here on a T5 by formulas of
// their own, in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/diagnose/diagnose.h"
#include "core/io/safetensors.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {
namespace {

const std::string kT5 = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/t5";

std::shared_ptr<const Trace> t5(AttentionList attention) {
  Request request;
  request.model = kT5;
  request.token_ids = {5, 9, 12, 7, 3, 22, 30, 11, 6, 18, 2};
  request.decoder_ids = {0, 9, 4, 7, 7, 20, 13, 9, 2};
  request.attention = attention;
  return Engine().run(request, {});
}

// T5's buckets as its authors publish them, of eight with a largest distance of six: of a key `distance` behind the
// query (before it where it is below 0).
std::int64_t t5_bucket(std::int64_t distance, bool both) {
  const std::int64_t own = both ? 4 : 8, exact = own / 2, first = both && distance > 0 ? own : 0;
  const std::int64_t far = both ? std::abs(distance) : std::max<std::int64_t>(0, -distance);
  if (far < exact) return first + far;
  const float share =
      std::log(static_cast<float>(far) / static_cast<float>(exact)) / std::log(6.0f / static_cast<float>(exact));
  return first + std::min(own - 1, exact + static_cast<std::int64_t>(share * static_cast<float>(own - exact)));
}

// What stands before and behind the mask in a layer of T5, made otherwise.
struct T5Layer {
  explicit T5Layer(bool is_encoder)
      : ours(t5(is_encoder ? AttentionList::encoder : AttentionList::decoder)), encoder(is_encoder) {
    const SafetensorsFile file = SafetensorsFile::open(kT5 + "/model.safetensors");
    const std::string part = is_encoder ? "encoder" : "decoder";
    table = file.tensor(*file.find(part + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight"));
  }

  using Bias = std::function<double(std::int64_t i, std::int64_t j, std::int64_t h)>;
  // bias[bucket(distance), h].
  double bias(std::int64_t distance, bool both, std::int64_t h) const {
    return static_cast<double>(table.at({t5_bucket(distance, both), h}));
  }
  // scale * raw_scores + added, hidden where the key lies behind a query of the decoder.
  Tensor masked(double scale, const Bias& added) const {
    const Tensor& raw = ours->tensor(StageId::raw_scores);
    std::vector<float> values = raw.values();
    const std::int64_t queries = raw.dim(2), keys = raw.dim(3);
    for (std::int64_t k = 0; k < raw.size(); ++k) {
      const std::int64_t j = k % keys, i = k / keys % queries, h = k / keys / queries;
      float& value = values[static_cast<std::size_t>(k)];
      value = !encoder && j > i ? -std::numeric_limits<float>::infinity()
                                : static_cast<float>(scale * static_cast<double>(value) + added(i, j, h));
    }
    return Tensor::of(raw.shape(), raw.axes(), std::move(values));
  }
  static Tensor softmaxed(const Tensor& scores) {
    std::vector<float> values = scores.values();
    const auto width = static_cast<std::size_t>(scores.dim(3));
    for (std::size_t first = 0; first < values.size(); first += width) {
      double sum = 0;
      for (std::size_t k = first; k < first + width; ++k) sum += std::exp(static_cast<double>(values[k]));
      for (std::size_t k = first; k < first + width; ++k) {
        values[k] = static_cast<float>(std::exp(static_cast<double>(values[k])) / sum);
      }
    }
    return Tensor::of(scores.shape(), scores.axes(), std::move(values));
  }

  std::shared_ptr<const Trace> ours;
  bool encoder;
  Tensor table;  // [buckets, heads]
};

// The mistakes of the best explanation of masked scores, and of the weights that follow from them: "a; b".
std::string named_both(const T5Layer& layer, const Tensor& scores) {
  std::string text;
  for (const auto& [stage, theirs] :
       {std::pair{StageId::masked_scores, scores}, std::pair{StageId::weights, T5Layer::softmaxed(scores)}}) {
    const Diagnosis found = diagnose(*layer.ours, {{stage, theirs}}, make_cpu_backend(1), {}, {});
    text += text.empty() ? "" : "; ";
    if (found.explanations.empty()) {
      text += found.verdict();
      continue;
    }
    for (const std::string& name : found.explanations.front().variants) text += name;
  }
  return text;
}

TEST(PositionMistakes, TheFormulasOfThisTestAreT5s) {
  for (const bool encoder : {true, false}) {
    const T5Layer layer(encoder);
    const auto right = [&](std::int64_t i, std::int64_t j, std::int64_t h) { return layer.bias(j - i, encoder, h); };
    EXPECT_EQ(named_both(layer, layer.masked(1, right)), "equal; equal");
  }
}

TEST(PositionMistakes, RelativeBiasesThatAreMissingSubtractedOrOfTheOtherDirection) {
  const T5Layer layer(true);
  const auto masked = [&](const T5Layer::Bias& bias) { return layer.masked(1, bias); };
  EXPECT_EQ(named_both(layer, masked([](auto, auto, auto) { return 0.0; })), "relative-missing; relative-missing");
  EXPECT_EQ(named_both(layer, masked([&](auto i, auto j, auto h) { return layer.bias(i - j, true, h); })),
            "relative-transposed; relative-transposed");
  EXPECT_EQ(named_both(layer, masked([&](auto i, auto j, auto h) { return -layer.bias(j - i, true, h); })),
            "relative-sign; relative-sign");
  EXPECT_EQ(named_both(layer, masked([&](auto i, auto j, auto h) { return layer.bias(j - i, false, h); })),
            "relative-directions; relative-directions");
}

TEST(PositionMistakes, ADecoderWhoseBucketsAreThoseOfTwoDirections) {
  const T5Layer layer(false);
  const auto other = [&](std::int64_t i, std::int64_t j, std::int64_t h) { return layer.bias(j - i, true, h); };
  EXPECT_EQ(named_both(layer, layer.masked(1, other)), "relative-directions; relative-directions");
  const auto none = [](auto, auto, auto) { return 0.0; };
  EXPECT_EQ(named_both(layer, layer.masked(1, none)), "relative-missing; relative-missing");
}

// Keys behind the query, whose buckets would be other ones, are hidden: what is added is then the same for a whole row.
TEST(PositionMistakes, WhatASoftmaxTakesAwayIsSaidToBeIndistinguishable) {
  const T5Layer layer(false);
  const Tensor weights = T5Layer::softmaxed(layer.masked(1, [](auto, auto, auto) { return 0.0; }));
  const Diagnosis found = diagnose(*layer.ours, {{StageId::weights, weights}}, make_cpu_backend(1), {}, {});
  ASSERT_FALSE(found.explanations.empty());
  ASSERT_EQ(found.alike.size(), 1u);
  EXPECT_EQ(found.alike.front(), (std::vector<std::string>{"relative-missing", "relative-transposed"}));
}

TEST(PositionMistakes, TheUsualScaleInAModelThatHasNone) {
  for (const bool encoder : {true, false}) {
    const T5Layer layer(encoder);
    const auto right = [&](std::int64_t i, std::int64_t j, std::int64_t h) { return layer.bias(j - i, encoder, h); };
    const Tensor scores = layer.masked(1 / std::sqrt(7.0), right);
    EXPECT_EQ(named_both(layer, scores), "scale-by-root-of-head-dim; scale-by-root-of-head-dim");
    const Diagnosis found = diagnose(*layer.ours, {{StageId::masked_scores, scores}}, make_cpu_backend(1), {}, {});
    ASSERT_FALSE(found.explanations.empty());
    ASSERT_FALSE(found.explanations.front().code.empty());
    EXPECT_EQ(found.explanations.front().code.front().wrong, "/ math.sqrt(head_dim)");
    EXPECT_EQ(found.explanations.front().code.front().right, "* 1");
  }
}

}  // namespace
}  // namespace headscope

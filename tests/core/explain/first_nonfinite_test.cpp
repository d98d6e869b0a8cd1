// Where the first number that is not finite was made, and why.
#include "core/explain/first_nonfinite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/engine.h"
#include "core/request/stage_info.h"
#include "tests/core/model/checkpoint_files.h"
#include "tests/core/model/model_files.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class FirstNonfiniteTest : public FilesTest {
 protected:
  // Attention alone of [1, 2, 4, 8], whose numbers `change` changes.
  template <typename Change>
  std::shared_ptr<const Trace> attention(const Change& change) const {
    const auto waves = [](double step) {
      Tensor tensor = counted({1, 2, 4, 8});
      for (std::int64_t k = 0; k < tensor.size(); ++k) {
        tensor.mutable_data()[k] = static_cast<float>(std::sin(step * static_cast<double>(k + 1)));
      }
      return tensor;
    };
    Tensor query = waves(0.7), key = waves(1.3), value = waves(2.1);
    Request request;
    change(query, key, value, request);
    request.query = write_npy_file("query.npy", query);
    request.key = write_npy_file("key.npy", key);
    request.value = write_npy_file("value.npy", value);
    return trace_of(request);
  }
};

// What the result says of itself; "" where all its numbers are finite.
std::string said(const Trace& trace) {
  const auto found = first_nonfinite(trace, {});
  return found ? nonfinite_sentence(*found) : "";
}

TEST_F(FirstNonfiniteTest, ASumOfProductsThatPassesTheLargestFloat) {
  const auto trace = attention([](Tensor& query, Tensor& key, Tensor&, Request&) {
    for (int d = 0; d < 8; ++d) query.mutable_data()[(1 * 4 + 2) * 8 + d] = key.mutable_data()[(4 + 3) * 8 + d] = 1e19f;
  });
  // 8 · 1e38 of head 1, query 2, key 3: no single product passes it.
  EXPECT_EQ(said(*trace),
            "first NaN: raw_scores[0, 1, 2, 3] is inf: the sum of 8 products passes 3.4e38; 1 number of scores, 1 of "
            "masked_scores, 4 of weights, 8 of context, 8 of concat follow");
}

TEST_F(FirstNonfiniteTest, AProductThatPassesIt) {
  const auto trace = attention([](Tensor& query, Tensor& key, Tensor&, Request&) {
    query.mutable_data()[3] = 3e25f;
    for (int row = 0; row < 4; ++row) key.mutable_data()[row * 8 + 3] = 0.5f;
    key.mutable_data()[3] = 2e25f;
  });
  EXPECT_EQ(said(*trace).find("first NaN: raw_scores[0, 0, 0, 0] is inf: the product 3e+25 · 2e+25 passes 3.4e38; "),
            0u)
      << said(*trace);
}

TEST_F(FirstNonfiniteTest, ANumberThatWasReadSo) {
  const auto trace = attention([](Tensor&, Tensor&, Tensor& value, Request&) { value.mutable_data()[9] = kNan; });
  EXPECT_EQ(said(*trace).find("first NaN: value[0, 0, 1, 1] is nan: it was read so; 4 numbers of context, "), 0u)
      << said(*trace);
}

TEST_F(FirstNonfiniteTest, ARowThatSeesNoKey) {
  const auto trace = attention([&](Tensor&, Tensor&, Tensor&, Request& request) {
    const Axes axes{Axis::query, Axis::key};
    Tensor mask = Tensor::zeros({4, 4}, axes);
    for (int j = 0; j < 4; ++j) mask.mutable_data()[4 + j] = -std::numeric_limits<float>::infinity();
    request.mask = {{MaskTerm::Kind::file, 0, write_npy_file("mask.npy", mask)}};
    request.fully_masked = FullyMasked::as_computed;
  });
  const auto found = first_nonfinite(*trace, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stages.front().stage, StageId::weights);
  EXPECT_EQ(found->index, (Index{0, 0, 1, 0}));
  EXPECT_EQ(found->cause, "no key of its row is visible, and the softmax of -inf alone is no number");
}

TEST_F(FirstNonfiniteTest, WeightsOfTheFileThatHoldIt) {
  const auto square = [](float first) {
    Tensor weight = counted({8, 8}, first);
    return weight;
  };
  Tensor value = square(-0.03f);
  value.mutable_data()[2 * 8 + 5] = kNan;
  const std::string path = write_layer("layer.safetensors", {{"q_proj_weight", square(-0.01f)},
                                                             {"k_proj_weight", square(-0.02f)},
                                                             {"v_proj_weight", value},
                                                             {"out_proj.weight", square(-0.04f)}});
  Request request;
  request.phrase = "one two three";
  request.weights = path;
  request.heads = 2;
  const std::string sentence = said(*trace_of(request));
  EXPECT_EQ(sentence.find("first NaN: value_proj[0, 0, 2] is nan: v_proj_weight[2, 5] is nan; "), 0u) << sentence;
}

TEST_F(FirstNonfiniteTest, WhatAMaskHidesIsMeant) {
  EXPECT_EQ(said(*small_trace(5, {{"mask", "causal"}})), "");
  EXPECT_EQ(said(*small_trace(5)), "");
  EXPECT_TRUE(nonfinite_stages(*small_trace(5, {{"mask", "causal"}}), {}).empty());
}

TEST_F(FirstNonfiniteTest, OfAModelTheFirstLayerThatHasOne) {
  std::vector<FileTensor> tensors = gpt2_tensors();
  std::uint64_t data_bytes = 0, before = 0;
  const std::string header = safetensors_header(tensors, data_bytes);
  std::string bytes = safetensors_bytes(tensors);
  for (const FileTensor& each : tensors) {
    if (each.name == "h.0.mlp.c_proj.bias") bytes.replace(header.size() + before, 4, std::string("\0\0\xc0\x7f", 4));
    before += static_cast<std::uint64_t>(bytes_of(each));
  }
  write_text("config.json", gpt2_config().dump());
  write_text("model.safetensors", bytes);
  Request request;
  request.model = path("");
  request.token_ids = {1, 2, 3};
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  const auto trace = engine.run(request, {});
  const auto found = first_nonfinite(*trace, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layer, 1) << "the attention of layer 0 is finite: its MLP is not";
  EXPECT_EQ(found->stages.front().stage, trace->stages.front().id);
  EXPECT_NE(nonfinite_sentence(*found).find(" of layer 1 is nan"), std::string::npos) << nonfinite_sentence(*found);
}

}  // namespace
}  // namespace headscope

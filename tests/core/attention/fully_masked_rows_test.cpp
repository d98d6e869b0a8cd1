// Rows of scores in which every key is hidden.
#include <gtest/gtest.h>

#include <string>

#include "core/attention/forward.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

void set(Request& request, const char* option, const char* value) {
  find_request_option(option)->set(request, value);
}

TEST(Forward, FullyMaskedRowsFollowThePolicy) {
  Request request = alone_request();
  set(request, "mask", "causal");
  set(request, "causal-align", "bottom-right");
  const Inputs inputs = alone_inputs({1, 4, 2, 2, 2, 3, 3});
  const auto first_row = [&](const Tensor& weights) {
    return std::pair(weights.at({0, 1, 0, 0}), weights.at({0, 1, 1, 1}));
  };
  auto trace = traced(request, inputs);
  EXPECT_EQ(trace->fully_masked_rows, 4);
  EXPECT_EQ(trace->fully_masked_queries, (std::vector<std::int64_t>{0, 1}));
  EXPECT_TRUE(std::isnan(first_row(trace->tensor(StageId::weights)).first));
  EXPECT_TRUE(std::isnan(trace->tensor(StageId::context).at({0, 0, 1, 0})));
  EXPECT_TRUE(std::isfinite(trace->tensor(StageId::context).at({0, 0, 2, 0})));

  set(request, "mask-fill", "-1e20");
  EXPECT_EQ(first_row(traced(request, inputs)->tensor(StageId::weights)), std::pair(0.5F, 0.5F));
  set(request, "mask-order", "before-scale");
  EXPECT_EQ(first_row(traced(request, inputs)->tensor(StageId::weights)), std::pair(0.5F, 0.5F));

  set(request, "mask-fill", "-inf");
  set(request, "fully-masked", "zero");
  trace = traced(request, inputs);
  EXPECT_EQ(first_row(trace->tensor(StageId::weights)), std::pair(0.0F, 0.0F));
  EXPECT_EQ(trace->tensor(StageId::context).at({0, 1, 1, 2}), 0.0F);
  EXPECT_EQ(trace->fully_masked_rows, 4);

  set(request, "fully-masked", "uniform");
  trace = traced(request, inputs);
  EXPECT_EQ(first_row(trace->tensor(StageId::weights)), std::pair(0.5F, 0.5F));
  const double mean = (static_cast<double>(inputs.value.at({0, 1, 0, 2})) + inputs.value.at({0, 1, 1, 2})) / 2;
  EXPECT_TRUE(std::abs(trace->tensor(StageId::context).at({0, 1, 1, 2}) - mean) <= 1e-6);
}

TEST(Forward, AFiniteFillMakesARowUniformWhateverIsAdded) {
  Request request = alone_request();
  request.mask = {{MaskTerm::Kind::file, 0, "m.npy"}, {MaskTerm::Kind::padding, 9, ""}};
  request.mask_fill = -1e20;
  Inputs inputs = alone_inputs({1, 2, 4, 1, 1, 3, 3});
  inputs.mask_files = {{"m.npy", tensor_of({4}, {5, -7e19F, 3, 100}), false}};
  for (float weight : traced(request, inputs)->tensor(StageId::weights).values()) EXPECT_EQ(weight, 0.25F);
}

TEST(Forward, FullyMaskedRowsCountBatchesAndHeads) {
  Request request = alone_request();
  request.mask = {{MaskTerm::Kind::file, 0, "m.npy"}};
  Inputs inputs = alone_inputs({3, 2, 2, 4, 4, 2, 2});
  inputs.mask_files = {{"m.npy", tensor_of({3, 1, 1, 2}, {0, 0, 1, 0, 0, 0}), true}};
  EXPECT_EQ(traced(request, inputs)->fully_masked_rows, 2 * 4 * 2);
  inputs.mask_files = {{"m.npy", tensor_of({4, 2, 1}, {0, 1, 1, 1, 1, 1, 0, 1}), true}};
  const auto trace = traced(request, inputs);
  EXPECT_EQ(trace->fully_masked_rows, 3 * 2);
  EXPECT_EQ(trace->fully_masked_queries, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace headscope

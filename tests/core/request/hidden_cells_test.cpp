// What a hidden key and its value hold changes no bit of weights, context, concat or output; and the bits are the
// same for any number of threads.
#include <gtest/gtest.h>

#include <limits>

#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

const StageId kProtected[] = {StageId::weights, StageId::dropped_weights, StageId::context, StageId::concat,
                              StageId::output};

void expect_same_after_softmax(const Trace& a, const Trace& b, const std::string& what) {
  for (StageId id : kProtected) {
    ASSERT_EQ(a.find(id) == nullptr, b.find(id) == nullptr);
    if (a.find(id) != nullptr) {
      EXPECT_TRUE(same_bits(a.tensor(id), b.tensor(id))) << what << " " << stage_name(id);
    }
  }
}

struct Poison {
  const char* name;
  std::vector<float> values;
};
const Poison kPoisons[] = {{"nan", {NAN}},
                           {"-nan", {-NAN}},
                           {"inf", {kInfinity}},
                           {"-inf", {-kInfinity}},
                           {"mixed", {kInfinity, -kInfinity, NAN, 1e38F}},
                           {"large", {3.4e38F, -3.4e38F}},
                           {"negative zero", {-0.0F}}};

void poison_position(Tensor& heads, std::int64_t j, const Poison& poison) {
  float* data = heads.mutable_data();
  const std::int64_t len = heads.dim(2), features = heads.dim(3);
  for (std::int64_t matrix = 0; matrix < heads.dim(0) * heads.dim(1); ++matrix) {
    for (std::int64_t d = 0; d < features; ++d) {
      data[(matrix * len + j) * features + d] = poison.values[static_cast<std::size_t>(d) % poison.values.size()];
    }
  }
}

TEST(HiddenKeys, ChangeNoBitWhateverTheyHold) {
  for (const MadeSizes& sizes : {MadeSizes{1, 3, 4, 2, 2, 3, 3}, MadeSizes{2, 70, 67, 4, 2, 9, 5},
                                 MadeSizes{1, 5, 9, 2, 1, 1, 1}, MadeSizes{1, 1, 6, 1, 1, 4, 2}}) {
    for (const char* conventions : {"after-scale", "before-scale"}) {
      for (const char* policy : {"as-computed", "zero"}) {
        for (double dropout : {0.0, 0.5}) {
          Request request = alone_request();
          find_request_option("mask")->set(request, "padding:1,causal");
          find_request_option("mask-order")->set(request, conventions);
          find_request_option("fully-masked")->set(request, policy);
          request.dropout = dropout;
          for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
            const auto clean = traced(request, alone_inputs(sizes), backend);
            for (const Poison& poison : kPoisons) {
              Inputs inputs = alone_inputs(sizes);
              poison_position(inputs.key, sizes.key_len - 1, poison);
              poison_position(inputs.value, sizes.key_len - 1, poison);
              expect_same_after_softmax(*clean, *traced(request, inputs, backend),
                                        std::string(backend->name()) + " " + poison.name + " " + conventions);
            }
          }
        }
      }
    }
  }
}

TEST(HiddenKeys, ALaterTokenChangesNothingBeforeItUnderACausalMask) {
  Request request = alone_request();
  find_request_option("mask")->set(request, "causal");
  const MadeSizes sizes{1, 80, 80, 2, 2, 6, 6};
  for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
    const auto clean = traced(request, alone_inputs(sizes), backend);
    for (const Poison& poison : kPoisons) {
      Inputs inputs = alone_inputs(sizes);
      poison_position(inputs.key, 66, poison);
      poison_position(inputs.value, 66, poison);
      const auto trace = traced(request, inputs, backend);
      for (StageId id : {StageId::weights, StageId::context}) {
        EXPECT_TRUE(same_bits(trace->tensor(id).sliced(2, 0, 66), clean->tensor(id).sliced(2, 0, 66)))
            << backend->name() << " " << poison.name << " " << stage_name(id);
      }
    }
  }
}

TEST(HiddenKeys, AFullyMaskedRowIsTheSameNanWhateverItsKeysHold) {
  Request request = alone_request();
  find_request_option("mask")->set(request, "padding:9");
  for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
    const auto clean = traced(request, alone_inputs({}), backend);
    for (const Poison& poison : kPoisons) {
      Inputs inputs = alone_inputs({});
      for (std::int64_t j = 0; j < 5; ++j) {
        poison_position(inputs.key, j, poison);
        poison_position(inputs.value, j, poison);
      }
      expect_same_after_softmax(*clean, *traced(request, inputs, backend), poison.name);
    }
  }
}

TEST(HiddenKeys, APoisonedInputRowStaysWhereItMaySpread) {
  Request request = phrase_request();
  find_request_option("mask")->set(request, "padding:1");
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
      const auto clean = traced(request, fused_inputs(layout), backend);
      Inputs inputs = fused_inputs(layout);
      inputs.x.mutable_data()[4 * 7 + 3] = NAN;  // token 4 of batch 0 is padding
      const auto trace = traced(request, inputs, backend);
      const Tensor& output = trace->tensor(StageId::output);
      const auto head = [](const Tensor& t) { return t.sliced(0, 0, 1).sliced(1, 0, 4); };
      EXPECT_TRUE(same_bits(head(output), head(clean->tensor(StageId::output))));
      EXPECT_TRUE(same_bits(output.sliced(0, 1, 2), clean->tensor(StageId::output).sliced(0, 1, 2)));
      EXPECT_TRUE(std::isnan(output.at({0, 4, 0}))) << "its own query is NaN";
    }
  }
}

TEST(Threads, TheSameBitsForOneTwoThreeSevenAndEight) {
  Request request = phrase_request();
  find_request_option("mask")->set(request, "causal");
  request.dropout = 0.1;
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    const Inputs inputs = fused_inputs(layout, {.batch = 2, .len = 150, .input_dim = 130, .heads = 6, .head_dim = 32});
    const auto one = traced(request, inputs, make_cpu_backend(1));
    for (int threads : {2, 3, 7, 8}) {
      const auto many = traced(request, inputs, make_cpu_backend(threads));
      ASSERT_EQ(one->stages.size(), many->stages.size());
      for (const Stage& stage : one->stages) {
        EXPECT_TRUE(same_bits(stage.tensor, many->tensor(stage.id))) << threads << " " << stage_name(stage.id);
      }
      EXPECT_TRUE(same_bits(one->row_statistics.sum, many->row_statistics.sum));
    }
    const auto reference = traced(request, inputs);
    for (const Stage& stage : reference->stages) {
      // Relative to the largest value: sums over 130 and 192 features.
      double largest = 0;
      for (float value : stage.tensor.values()) {
        if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
      EXPECT_TRUE(largest_difference(stage.tensor, one->tensor(stage.id)) <= 1e-5 * largest) << stage_name(stage.id);
    }
  }
}

}  // namespace
}  // namespace headscope

// Inputs that do not fit each other are named before anything is computed.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "core/attention/input_problem.h"
#include "core/attention/stage_sizes.h"
#include "core/request/memory.h"
#include "core/request/one_pass.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

std::string problem_line(const Request& request, const Inputs& inputs, std::int64_t limit = kDefaultMemoryLimit) {
  const auto problem = find_problem(request, inputs, limit);
  return problem ? one_line(*problem) : "";
}

void expect_refused(const Request& request, const Inputs& inputs, const std::string& option, const std::string& says) {
  const std::string line = problem_line(request, inputs);
  EXPECT_TRUE(line.starts_with("--" + option + ": ")) << option << " " << says << ": \"" << line << '"';
  EXPECT_NE(line.find(says), std::string::npos) << line;
}

Inputs changed(Inputs inputs, const std::function<void(Inputs&)>& change) {
  change(inputs);
  return inputs;
}

TEST(ProblemOfInputs, InputsThatFitHaveNone) {
  EXPECT_EQ(problem_line(phrase_request(), fused_inputs(QkvLayout::per_head)), "");
  EXPECT_EQ(problem_line(phrase_request(), fused_inputs(QkvLayout::blocked)), "");
  EXPECT_EQ(problem_line(alone_request(), alone_inputs({2, 3, 4, 6, 3, 2, 5})), "");
}

TEST(ProblemOfInputs, ShapesAgainstEachOther) {
  const Inputs fused = fused_inputs(QkvLayout::per_head);
  const Request request = phrase_request();
  expect_refused(request, changed(fused, [](Inputs& in) { in.x = random_tensor({2, 5, 8}, 1); }), "weights", "[18, 7]");
  expect_refused(request, changed(fused, [](Inputs& in) { in.x = random_tensor({3, 5, 7}, 1); }), "input", "[3, 5, 7]");
  expect_refused(request, changed(fused, [](Inputs& in) { in.x = random_tensor({2, 4, 7}, 1); }), "input", "[2, 4, 7]");
  expect_refused(request, changed(fused, [](Inputs& in) { in.num_heads = in.num_kv_heads = 3; }), "weights", "[18, 7]");
  expect_refused(request, changed(fused, [](Inputs& in) { in.num_kv_heads = 3; }), "kv-heads", "3 does not divide");
  expect_refused(request, changed(fused, [](Inputs& in) { in.weights.output = random_linear(5, 6, 1); }), "weights",
                 "output");
  expect_refused(request, changed(fused, [](Inputs& in) { in.weights.qkv.bias = random_tensor({17}, 1); }), "weights",
                 "[17]");
  expect_refused(request, changed(fused, [](Inputs& in) { in.weights.bias_k = random_tensor({6}, 1); }), "weights",
                 "both or neither");
  expect_refused(request,
                 changed(fused,
                         [](Inputs& in) {
                           in.key_x = random_tensor({2, 5, 9}, 1);
                         }),
                 "key-input", "one input width");
  expect_refused(request,
                 changed(fused,
                         [](Inputs& in) {
                           in.key_x = random_tensor({1, 5, 7}, 1);
                         }),
                 "key-input", "[1, 5, 7]");
  expect_refused(request,
                 changed(fused,
                         [](Inputs& in) {
                           in.key_x = random_tensor({2, 5, 7}, 1);
                           in.value_x = random_tensor({2, 4, 7}, 1);
                         }),
                 "value-input", "[2, 4, 7]");
  const Inputs alone = alone_inputs({2, 3, 4, 6, 3, 2, 5});
  expect_refused(alone_request(),
                 changed(alone,
                         [](Inputs& in) {
                           in.key = random_tensor({2, 3, 4, 3}, 1);
                         }),
                 "key", "[2, 3, 4, 3]");
  expect_refused(alone_request(),
                 changed(alone,
                         [](Inputs& in) {
                           in.value = random_tensor({2, 3, 5, 5}, 1);
                         }),
                 "value", "[2, 3, 5, 5]");
  expect_refused(alone_request(), changed(alone, [](Inputs& in) { in.query_len = 0; }), "input", "nothing to compute");
}

TEST(ProblemOfInputs, MaskFiles) {
  Request request = phrase_request();
  request.mask = {{MaskTerm::Kind::file, 0, "m.npy"}};
  const auto with_mask = [](Tensor values, bool boolean = false) {
    Inputs inputs = fused_inputs(QkvLayout::per_head);
    inputs.mask_files = {{"m.npy", std::move(values), boolean}};
    return inputs;
  };
  EXPECT_EQ(problem_line(request, with_mask(random_tensor({2, 1, 5, 5}, 1))), "");
  expect_refused(request, with_mask(random_tensor({5, 4}, 1)), "mask", "[5, 4]");
  expect_refused(request, with_mask(random_tensor({3, 1, 5, 5}, 1)), "mask", "[2, 2, 5, 5]");
  expect_refused(request, with_mask(tensor_of({1}, {NAN})), "mask", "nan");
  request.mask_kind = MaskKind::keep;
  expect_refused(request, with_mask(random_tensor({5, 5}, 1)), "mask", "0 or 1");
}

TEST(ProblemOfInputs, DropoutMaskMustBroadcast) {
  Inputs inputs = fused_inputs(QkvLayout::per_head);
  inputs.dropout_mask = tensor_of({4}, {1, 1, 1, 1});
  expect_refused(phrase_request(), inputs, "dropout-mask", "[2, 2, 5, 5]");
}

TEST(ProblemOfInputs, VariantsThatNeedSomething) {
  Request request = phrase_request();
  request.variants = {Variant::qkv_blocked_as_per_head};
  expect_refused(request, fused_inputs(QkvLayout::per_head), "variant", "needs blocked rows");
  Inputs separate = fused_inputs(QkvLayout::blocked);
  separate.weights.qkv = {};
  separate.weights.query = separate.weights.key = separate.weights.value = random_linear(7, 6, 1);
  expect_refused(request, separate, "variant", "fused");
  EXPECT_EQ(problem_line(request, fused_inputs(QkvLayout::blocked)), "");
  request.variants = {Variant::qkv_per_head_as_blocked};
  expect_refused(request, fused_inputs(QkvLayout::blocked), "variant", "needs per-head rows");
  EXPECT_EQ(problem_line(request, fused_inputs(QkvLayout::per_head)), "");

  request = alone_request();
  request.variants = {Variant::qkv_per_head_as_blocked};
  expect_refused(request, alone_inputs({}), "variant", "fused");
  request.variants = {Variant::key_not_transposed};
  expect_refused(request, alone_inputs({}), "variant", "5 keys, and head_dim is 3");
  EXPECT_EQ(problem_line(request, alone_inputs({1, 7, 3, 2, 2, 3, 4})), "");
}

TEST(ProblemOfInputs, AblatedHeadsExist) {
  Request request = alone_request();
  request.ablate = {{0, 1}, {0, 2}};
  expect_refused(request, alone_inputs({}), "ablate", "no head 2");
}

TEST(ProblemOfInputs, MemoryBeyondTheLimitSaysHowManyTokensFit) {
  const Inputs inputs = alone_inputs({1, 400, 400, 2, 2, 3, 3});
  Request request = alone_request();
  request.variants = {Variant::softmax_over_queries};
  const double bytes = stage_bytes(request, stage_sizes_of(inputs));
  EXPECT_EQ(problem_line(request, inputs, static_cast<std::int64_t>(bytes)), "");
  const std::string line = problem_line(request, inputs, static_cast<std::int64_t>(bytes / 4));
  EXPECT_NE(line.find("tokens fit"), std::string::npos) << line;
  const std::int64_t fit = tokens_that_fit(request, stage_sizes_of(inputs), static_cast<std::int64_t>(bytes / 4));
  EXPECT_GT(fit, 190);
  EXPECT_LT(fit, 210);
  EXPECT_EQ(problem_line(alone_request(), inputs, static_cast<std::int64_t>(bytes / 4)), "")
      << "weights can be computed when read";
}

TEST(Memory, TheEstimateIsWhatTheStagesHold) {
  for (const char* options : {"", "mask", "softcap", "dropout", "before", "direct", "scale", "queries"}) {
    const std::string option = options;
    Request request = phrase_request();
    if (option == "mask" || option == "before") find_request_option("mask")->set(request, "causal");
    if (option == "before") request.mask_order = MaskOrder::before_scale;
    if (option == "softcap") request.softcap = 3;
    if (option == "dropout") request.dropout = 0.5;
    if (option == "direct") request.merge = Merge::direct;
    if (option == "scale") request.scale = 1;
    if (option == "queries") request.variants = {Variant::softmax_over_queries};
    for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
      const Inputs inputs = fused_inputs(layout, {.batch = 3, .len = 20});
      const auto trace = traced(request, inputs);
      // Distinct storage: views begin inside what they view.
      std::vector<std::pair<const float*, const float*>> blocks;
      double bytes = 0;
      for (const Stage& stage : trace->stages) {
        if (!stage.tensor.stored()) continue;
        const float* begin = stage.tensor.data();
        bool known = false;
        for (const auto& [low, high] : blocks) known = known || (low <= begin && begin < high);
        if (known) continue;
        blocks.push_back({begin, begin + stage.tensor.size()});
        bytes += 4.0 * static_cast<double>(stage.tensor.size());
      }
      EXPECT_EQ(stage_bytes(request, stage_sizes_of(inputs)), bytes) << option;
      EXPECT_EQ(in_one_pass(request), option != "queries");
      const double weights = 4.0 * static_cast<double>(trace->tensor(StageId::weights).size());
      const double kept = option == "dropout" ? 2 : option == "queries" ? 0 : 1;
      EXPECT_EQ(least_stage_bytes(request, stage_sizes_of(inputs)), bytes - kept * weights) << option;
    }
  }
}

}  // namespace
}  // namespace headscope

// One request, computed everywhere that it can be: in process on the reference and the cpu backend, and by
// headscope-cli, whose exported .npy files are read back.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

using Options = std::vector<std::pair<std::string, std::string>>;  // {"heads", "4"}

// One computation and how to get a stage out of it. A stage that it lacks is a test failure.
struct GoldenRun {
  std::string label;                   // "reference", "cpu", "headscope-cli"
  std::shared_ptr<const Trace> trace;  // null for headscope-cli
  std::function<Tensor(const std::string& stage)> stage;
};

struct CommandResult {
  int exit_code = -1;
  std::string out, err;
};
// Runs headscope-cli; stdout and stderr go through files in `folder`.
CommandResult run_cli(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

// The tolerance of a model's stages: 2e-5 of the largest magnitude in the row (last axis) that a number stands in.
::testing::AssertionResult agrees_by_rows(const Tensor& found, const Tensor& expected);

class GoldenTest : public ::testing::Test {
 public:
  void SetUp() override;
  void TearDown() override;

  // Files in a folder of the test's own; they return the path.
  std::string npy(const std::string& name, const Tensor& tensor) const;
  std::string layer(const std::string& name, const std::vector<NamedTensor>& tensors) const;

  // Attention alone from three tensors.
  Options attention_alone(const Tensor& query, const Tensor& key, const Tensor& value) const;
  // Attention alone whose raw_scores are exactly `scores` [batch, heads, query_len, key_len]: the keys are unit
  // vectors.
  Options exact_scores(const Tensor& scores) const;
  // Attention alone whose context is exactly `value` [batch, heads, len, features]: every token sees itself alone.
  Options exact_context(const Tensor& value) const;

  // All three. headscope-cli exports `stages`, as --export spells them.
  std::vector<GoldenRun> run_everywhere(const Options& options, const std::string& stages = "all");

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  int runs_ = 0;
};

// Nested lists of numbers ("nan", "inf", "-inf" as strings) as one row-major list.
std::vector<double> flat_numbers(const nlohmann::json& nested);
// Their nesting as a shape, and both as a tensor with axes that mean nothing.
Shape shape_of(const nlohmann::json& nested);
Tensor tensor_of(const nlohmann::json& nested);
// The same with leading axes of size 1 up to `rank`.
Tensor tensor_of(const nlohmann::json& nested, int rank);

// |found - expected| <= tolerance * max(1, |expected|) when `relative`, else <= tolerance; tolerance 0 compares with
// `expected` rounded to float32. NaN equals NaN alone, infinities equal themselves.
struct Tolerance {
  double value = 0;
  bool relative = false;
};
::testing::AssertionResult near(double found, double expected, Tolerance tolerance);
::testing::AssertionResult all_near(const Tensor& found, const std::vector<double>& expected, Tolerance tolerance);
// The largest absolute difference; NaN when one is NaN.
double max_difference(const Tensor& found, const std::vector<double>& expected);

nlohmann::json read_json(const std::string& path);

// The case of tests/golden/seeds.json with this id.
const nlohmann::json& seed_case(std::string_view id);

// What float32 can keep of a number that a case gives in double: the cases that helpers derived in double precision
// ask for 1e-10, which no float32 engine reaches.
constexpr Tolerance kFloat32{2e-6, true};
// The case's own tolerance; where it asks for more than float32 holds, kFloat32.
Tolerance tolerance_of(const nlohmann::json& golden);

}  // namespace headscope

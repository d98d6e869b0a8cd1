// Numbers that PyTorch computed (make_torch_golden.py), within 2e-6.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "core/model/seeded.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

const std::string kTorchFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/torch/";

// A stage as the script keeps it: all values, or a sum and some cells.
::testing::AssertionResult agrees(const Tensor& found, const nlohmann::json& expected, double tolerance) {
  Shape shape;
  for (const nlohmann::json& size : expected.at("shape")) shape.push_back(size.get<std::int64_t>());
  if (!(found.shape() == shape)) {
    return ::testing::AssertionFailure() << "found " << to_string(found.shape()) << ", expected " << to_string(shape);
  }
  if (expected.contains("values")) {
    return all_near(found, flat_numbers(expected.at("values")), {tolerance, false});
  }
  const std::vector<float> values = found.values();
  for (const nlohmann::json& cell : expected.at("cells")) {
    const std::size_t place = cell.at(0).get<std::size_t>();
    ::testing::AssertionResult result = near(values.at(place), flat_numbers(cell.at(1)).front(), {tolerance, false});
    if (!result) return result << " (value " << place << ")";
  }
  double sum = 0;
  for (const float value : values) sum += value;
  // Errors of single values have either sign, so that those of a sum grow with the root of their number.
  const double sum_tolerance = tolerance * std::sqrt(static_cast<double>(values.size()));
  return near(sum, expected.at("sum").get<double>(), {sum_tolerance, false}) << " (sum)";
}

TEST(TorchDraws, AreTorchsOwn) {
  const nlohmann::json golden = read_json(kTorchFolder + "draws.json");
  const double tolerance = golden.at("tolerance");
  std::size_t compared = 0;
  for (const nlohmann::json& draw : golden.at("draws")) {
    SCOPED_TRACE("seed " + draw.at("seed").get<std::string>() + " " + draw.at("steps").dump());
    TorchGenerator generator(std::stoull(draw.at("seed").get<std::string>()));
    std::size_t next = 0;
    const auto check = [&](const Tensor& found, double allowed) {
      EXPECT_TRUE(agrees(found, draw.at("drawn").at(next++), allowed));
      ++compared;
    };
    for (const nlohmann::json& step : draw.at("steps")) {
      const std::string kind = step.at(0);
      const std::int64_t n = step.at(1);
      if (kind == "linear") {
        const Linear linear = draw_linear(generator, n, step.at(2));
        check(linear.weight, 1e-7);
        check(linear.bias, 1e-7);
        continue;
      }
      Tensor drawn = Tensor::zeros({n}, {Axis::feature});
      if (kind == "randn") {
        generator.randn(n, drawn.mutable_data());
      } else {
        generator.uniform(n, step.at(2), step.at(3), drawn.mutable_data());
      }
      check(drawn, tolerance);
    }
    EXPECT_EQ(next, draw.at("drawn").size());
  }
  EXPECT_GE(compared, 100u);
}

class TorchCases : public GoldenTest {
 protected:
  // All cases whose name begins with `prefix`; at least `at_least` of them, so that a changed name cannot hide them.
  void check_cases(const std::string& prefix, std::size_t at_least) {
    const nlohmann::json golden = read_json(kTorchFolder + "cases.json");
    const std::set<std::string> file_options = {"input", "key-input", "value-input", "query",
                                                "key",   "value",     "weights",     "dropout-mask"};
    std::size_t checked = 0;
    for (const nlohmann::json& item : golden.at("cases")) {
      const std::string name = item.at("name");
      if (name.rfind(prefix, 0) != 0) continue;
      SCOPED_TRACE(name);
      Options options;
      for (const auto& [option, json_value] : item.at("options").items()) {
        std::string value = json_value.get<std::string>();
        const bool mask_file = option == "mask" && value.find(".npy") != std::string::npos;
        if (mask_file || file_options.contains(option)) value = kTorchFolder + value;
        options.emplace_back(option, value);
      }
      const double tolerance = item.value("tolerance", golden.at("tolerance").get<double>());
      std::string exported;
      for (const auto& [stage, expected] : item.at("stages").items()) exported += (exported.empty() ? "" : ",") + stage;
      for (const GoldenRun& run : run_everywhere(options, exported)) {
        for (const auto& [stage, expected] : item.at("stages").items()) {
          EXPECT_TRUE(agrees(run.stage(stage), expected, tolerance)) << run.label << ", " << stage;
        }
      }
      ++checked;
    }
    EXPECT_GE(checked, at_least);
  }
};

TEST_F(TorchCases, SeededForwardsOfTheTutorialsClassAreTorchs) {
  check_cases("seeded", 40);
}
TEST_F(TorchCases, MultiheadAttentionModulesAreTorchs) {
  check_cases("nn.MultiheadAttention", 11);
}
TEST_F(TorchCases, ScaledDotProductAttentionIsTorchs) {
  check_cases("scaled_dot_product_attention", 6);
}
TEST_F(TorchCases, TutorialFoursClassIsTorchs) {
  check_cases("tutorial 004", 2);
}

TEST_F(TorchCases, FilesInHalfPrecisionAndWithGroupedHeadsAreTorchs) {
  check_cases("file", 3);
}

}  // namespace
}  // namespace headscope

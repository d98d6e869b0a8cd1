#include "core/backend/kernels/activations.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/core/backend/every_target.h"

namespace headscope {
namespace {

struct Activation {
  void (*kernel)(float*, std::int64_t);
  double (*plain)(double);
};

constexpr double kRoot = 0.79788456080286535588;  // sqrt(2 / pi)
const Activation kAll[] = {
    {gelu_values, [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }},
    {gelu_tanh_values, [](double x) { return x / (1 + std::exp(-2 * kRoot * (x + 0.044715 * x * x * x))); }},
    {silu_values, [](double x) { return x / (1 + std::exp(-x)); }},
};

TEST(Activations, EqualTheFormulaInDoublePrecision) {
  std::vector<float> values;
  for (int n = -12000; n <= 12000; ++n) values.push_back(static_cast<float>(n) * 0.001F);
  values.insert(values.end(), {-3e38F, -1e20F, -200, -88, -1e-30F, -0.0F, 1e-30F, 88, 200, 1e20F, 3e38F});
  on_every_target([&](bool) {
    for (const Activation& activation : kAll) {
      std::vector<float> found = values;
      activation.kernel(found.data(), static_cast<std::int64_t>(found.size()));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double wanted = activation.plain(values[i]);
        ASSERT_LE(std::abs(found[i] - wanted), 4e-6 * std::abs(wanted) + 1e-9) << values[i];
      }
    }
  });
}

TEST(Activations, AValueHasItsBitsWhereverItLies) {
  std::vector<float> values;
  for (int n = 0; n < 67; ++n) values.push_back(0.37F * static_cast<float>(n) - 11.0F);
  on_every_target([&](bool) {
    for (const Activation& activation : kAll) {
      std::vector<float> all = values, alone = values;
      activation.kernel(all.data(), static_cast<std::int64_t>(all.size()));
      for (float& value : alone) activation.kernel(&value, 1);
      EXPECT_EQ(std::memcmp(all.data(), alone.data(), all.size() * sizeof(float)), 0);
    }
  });
}

TEST(Activations, NanStaysNanAndInfinityStays) {
  on_every_target([&](bool) {
    for (const Activation& activation : kAll) {
      float values[] = {NAN, INFINITY};
      activation.kernel(values, 2);
      EXPECT_TRUE(std::isnan(values[0]));
      EXPECT_EQ(values[1], INFINITY);
    }
  });
}

}  // namespace
}  // namespace headscope

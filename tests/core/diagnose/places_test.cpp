// Mistakes in which places see each other, and at which place a query stands, made here by formulas in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnose_arrays.h"
#include "core/model/head_rule.h"
#include "tests/core/diagnose/model_dumps.h"

namespace headscope {
namespace {

using Names = std::vector<std::string>;
constexpr double kHiddenScore = -std::numeric_limits<double>::infinity();
constexpr std::int64_t kPlaces = 7, kWidth = 8;

Names best_named(const Diagnosis& found) {
  return found.explanations.empty() ? Names{found.verdict()} : found.explanations.front().variants;
}

AttentionArrays two_heads(const MaskTerm& mask) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  const auto drawn = [&] {
    std::vector<float> values(static_cast<std::size_t>(2 * kPlaces * kWidth));
    for (float& value : values) value = normal(random);
    return Tensor::of({1, 2, kPlaces, kWidth}, {Axis::batch, Axis::head, Axis::position, Axis::feature}, values);
  };
  AttentionArrays arrays{drawn(), drawn(), drawn(), {}, {}};
  arrays.options.mask = {mask};
  return arrays;
}

// softmax(score(i, j)) row by row, as [1, heads, len, len].
Tensor weights_of(std::int64_t heads, std::int64_t len,
                  const std::function<double(std::int64_t h, std::int64_t i, std::int64_t j)>& score) {
  std::vector<float> values;
  for (std::int64_t row = 0; row < heads * len; ++row) {
    std::vector<double> scores;
    for (std::int64_t j = 0; j < len; ++j) scores.push_back(score(row / len, row % len, j));
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& each : scores) sum += each = std::exp(each - largest);
    for (const double each : scores) values.push_back(static_cast<float>(each / sum));
  }
  return Tensor::of({1, heads, len, len}, {Axis::batch, Axis::head, Axis::query, Axis::key}, std::move(values));
}

double dot_of(const Tensor& a, std::int64_t ha, std::int64_t i, const Tensor& b, std::int64_t hb, std::int64_t j) {
  double sum = 0;
  for (std::int64_t d = 0; d < a.dim(3); ++d) {
    sum += static_cast<double>(a.at({0, ha, i, d})) * static_cast<double>(b.at({0, hb, j, d}));
  }
  return sum;
}

Names named_where(const MaskTerm& mask, const std::function<bool(std::int64_t i, std::int64_t j)>& visible) {
  const AttentionArrays arrays = two_heads(mask);
  const Tensor weights = weights_of(2, kPlaces, [&](std::int64_t h, std::int64_t i, std::int64_t j) {
    return visible(i, j) ? dot_of(arrays.query, h, i, arrays.key, h, j) / std::sqrt(8.0) : kHiddenScore;
  });
  return best_named(diagnose_arrays(arrays, {{StageId::weights, weights}}));
}

TEST(Places, APrefixThatIsLeftOutIsAMissingPartOfTheMask) {
  const MaskTerm prefix{MaskTerm::Kind::prefix, 3, ""};
  EXPECT_EQ(named_where(prefix, [](auto i, auto j) { return j <= i || j < 3; }), Names{"equal"});
  EXPECT_EQ(named_where(prefix, [](auto i, auto j) { return j <= i; }), Names{"mask-part-missing"});
  EXPECT_EQ(named_where(prefix, [](auto, auto) { return true; }), Names{"mask-missing"});
}

TEST(Places, AWindowThatShowsNoLaterKeys) {
  const MaskTerm window{MaskTerm::Kind::window, 2, ""};
  EXPECT_EQ(named_where(window, [](auto i, auto j) { return std::abs(i - j) <= 2; }), Names{"equal"});
  EXPECT_EQ(named_where(window, [](auto i, auto j) { return j <= i && i - j <= 2; }), Names{"window-one-sided"});
}

// A query at place i that is turned as at i + n: its features, turned already, are turned by n places more.
TEST(Places, QueriesThatStandFurtherThanTheirKeys) {
  const auto ours = whole_model("llama")->model->layers.front();
  const Tensor &query = ours->tensor(StageId::query), &key = ours->tensor(StageId::key);
  const std::vector<double>& frequencies = ours->inputs->head_rule->rotary->rule().inverse_frequencies;
  const std::int64_t len = query.dim(2), heads = query.dim(1), half = query.dim(3) / 2, group = heads / key.dim(1);
  ASSERT_EQ(static_cast<std::int64_t>(frequencies.size()), half);
  for (const std::int64_t further : {std::int64_t{1}, std::int64_t{-1}, len}) {
    std::vector<float> turned = query.values();
    for (std::size_t first = 0; first < turned.size(); first += static_cast<std::size_t>(2 * half)) {
      for (std::int64_t k = 0; k < half; ++k) {
        float &a = turned[first + static_cast<std::size_t>(k)], &b = turned[first + static_cast<std::size_t>(k + half)];
        const double angle = static_cast<double>(further) * frequencies[static_cast<std::size_t>(k)];
        const double x = static_cast<double>(a), y = static_cast<double>(b);
        a = static_cast<float>(x * std::cos(angle) - y * std::sin(angle));
        b = static_cast<float>(y * std::cos(angle) + x * std::sin(angle));
      }
    }
    const Tensor moved = Tensor::of(query.shape(), query.axes(), std::move(turned));
    const double scale = 1 / std::sqrt(2 * static_cast<double>(half));
    const Tensor weights = weights_of(heads, len, [&](std::int64_t h, std::int64_t i, std::int64_t j) {
      return j <= i ? dot_of(moved, h, i, key, h / group, j) * scale : kHiddenScore;
    });
    const Diagnosis found = diagnose(*ours, {{StageId::weights, weights}}, make_cpu_backend(1), {}, {});
    EXPECT_EQ(best_named(found), Names{"rotary-offset"}) << further;
  }
}

}  // namespace
}  // namespace headscope

// Mistakes that are made here by formulas of their own, in double, and have to be named alone or first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnose_arrays.h"
#include "core/model/head_rule.h"
#include "tests/core/diagnose/model_dumps.h"

namespace headscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor drawn(const Shape& shape, unsigned seed, float size = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, size);
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  for (float& value : values) value = normal(random);
  return Tensor::of(shape, {Axis::batch, Axis::head, Axis::position, Axis::feature}, std::move(values));
}

// Calls change(row, i, h) for each row of the last axis, in double.
Tensor changed_rows(const Tensor& from,
                    const std::function<void(std::vector<double>&, std::int64_t, std::int64_t)>& change) {
  std::vector<float> values = from.values();
  const auto width = static_cast<std::size_t>(from.dim(3));
  for (std::size_t first = 0; first < values.size(); first += width) {
    std::vector<double> row(values.begin() + static_cast<std::ptrdiff_t>(first),
                            values.begin() + static_cast<std::ptrdiff_t>(first + width));
    const auto number = static_cast<std::int64_t>(first / width);
    change(row, number % from.dim(2), number / from.dim(2) % from.dim(1));
    for (std::size_t k = 0; k < width; ++k) values[first + k] = static_cast<float>(row[k]);
  }
  return Tensor::of(from.shape(), from.axes(), std::move(values));
}

void normalise(std::vector<double>& row) {
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& each : row) sum += each = std::exp(each - largest);
  for (double& each : row) each /= sum;
}

std::vector<std::string> named(const Diagnosis& found) {
  return found.explanations.empty() ? std::vector<std::string>{found.verdict()} : found.explanations.front().variants;
}

using Names = std::vector<std::string>;

// A layer of given queries, keys and values with 2 heads and 6 places.
struct Arrays {
  AttentionArrays ours;
  explicit Arrays(float size = 1) {
    ours.query = drawn({1, 2, 6, 8}, 1, size);
    ours.key = drawn({1, 2, 6, 8}, 2, size);
    ours.value = drawn({1, 2, 6, 8}, 3);
    ours.options.mask = {{MaskTerm::Kind::causal, 0, ""}};
  }
  // q . k, of which masked() is 1 / sqrt(8), -inf where a later key stands.
  Tensor products() const {
    const std::int64_t len = ours.query.dim(2);
    return changed_rows(Tensor::zeros({1, 2, len, len}, ours.query.axes()),
                        [&](std::vector<double>& row, std::int64_t i, std::int64_t h) {
                          for (std::int64_t j = 0; j < len; ++j) {
                            for (std::int64_t d = 0; d < 8; ++d) {
                              row[static_cast<std::size_t>(j)] += static_cast<double>(ours.query.at({0, h, i, d})) *
                                                                  static_cast<double>(ours.key.at({0, h, j, d}));
                            }
                          }
                        });
  }
  Tensor masked() const {
    return changed_rows(products(), [&](std::vector<double>& row, std::int64_t i, std::int64_t) {
      for (std::int64_t j = 0; j < 6; ++j) {
        double& each = row[static_cast<std::size_t>(j)];
        each = j > i ? -kInfinity : each / std::sqrt(8.0);
      }
    });
  }
};

// What float16 cannot hold is infinite.
double held(double score) {
  return std::abs(score) > 65504 ? std::copysign(kInfinity, score) : score;
}

TEST(NamedMistakes, PowersOfScoresFromWhichTheLargestWasNotSubtracted) {
  const Arrays arrays(3);  // scores beyond 11, whose powers float16 does not hold
  const Tensor weights = changed_rows(arrays.masked(), [](std::vector<double>& row, std::int64_t, std::int64_t) {
    double sum = 0;
    for (double& each : row) {
      each = std::exp(each) > 65504 ? kInfinity : std::exp(each);
      sum += each;
    }
    for (double& each : row) each /= sum > 65504 ? kInfinity : sum;
  });
  EXPECT_EQ(named(diagnose_arrays(arrays.ours, {{StageId::weights, weights}})), Names{"softmax-without-maximum"});
}

TEST(NamedMistakes, ScoresBeyondFloat16) {
  Arrays arrays(120);
  arrays.ours.options.mask.clear();
  const Tensor raw = changed_rows(arrays.products(), [&](std::vector<double>& row, std::int64_t, std::int64_t) {
    for (double& each : row) each = held(each);
  });
  EXPECT_EQ(named(diagnose_arrays(arrays.ours, {{StageId::raw_scores, raw}})), Names{"scores-overflowed"});
}

TEST(NamedMistakes, ScoresBeyondFloat16AreNamedInFloat16) {
  Arrays arrays(110);
  arrays.ours.options.mask.clear();
  arrays.ours.query = rounded(arrays.ours.query, "f16");
  arrays.ours.key = rounded(arrays.ours.key, "f16");
  const Tensor weights = changed_rows(arrays.products(), [&](std::vector<double>& row, std::int64_t, std::int64_t) {
    for (double& each : row) each = held(each) / std::sqrt(8.0);
    normalise(row);
  });
  DiagnoseOptions options;
  options.format = "f16";
  const Diagnosis found = diagnose_arrays(arrays.ours, {{StageId::weights, rounded(weights, "f16")}}, options);
  EXPECT_EQ(named(found), Names{"scores-overflowed"});
}

TEST(NamedMistakes, NumbersThatAreAllTheSameNameNothing) {
  const Arrays arrays;
  for (const float value : {0.5f, 0.0f}) {
    const Tensor all = Tensor::of({1, 2, 6, 8}, arrays.ours.value.axes(), std::vector<float>(96, value));
    EXPECT_EQ(named(diagnose_arrays(arrays.ours, {{StageId::context, all}})), Names{"differs"}) << value;
  }
}

TEST(NamedMistakes, WhatAnotherStageRulesOutIsNotNamed) {
  const Arrays arrays;
  const auto right = attention_of(arrays.ours, make_cpu_backend(1));
  std::vector<float> keys = right->tensor(StageId::key).values();
  for (std::size_t head = 0; head < 2; ++head) {
    std::rotate(keys.begin() + static_cast<std::ptrdiff_t>(head * 48),
                keys.begin() + static_cast<std::ptrdiff_t>(head * 48 + 32),
                keys.begin() + static_cast<std::ptrdiff_t>(head * 48 + 48));
  }
  const Tensor key = Tensor::of({1, 2, 6, 8}, arrays.ours.key.axes(), keys);
  const Diagnosis found = diagnose_arrays(arrays.ours, {{StageId::key, key}, {StageId::value, arrays.ours.value}});
  EXPECT_EQ(named(found), Names{"differs"}) << "the values are not rolled";
}

TEST(NamedMistakes, DropoutThatWasLeftOn) {
  Arrays arrays;
  arrays.ours.query = drawn({1, 2, 24, 8}, 1);
  arrays.ours.key = drawn({1, 2, 24, 8}, 2);
  arrays.ours.value = drawn({1, 2, 24, 8}, 3);
  arrays.ours.options.mask.clear();
  const Tensor right = changed_rows(arrays.products(), [](std::vector<double>& row, std::int64_t, std::int64_t) {
    for (double& each : row) each /= std::sqrt(8.0);
    normalise(row);
  });
  std::mt19937 random(5);
  std::bernoulli_distribution keeps(0.8);
  for (const double factor : {1 / 0.8, 1.0}) {
    const Tensor weights = changed_rows(right, [&](std::vector<double>& row, std::int64_t, std::int64_t) {
      for (double& each : row) each *= keeps(random) ? factor : 0;
    });
    EXPECT_EQ(named(diagnose_arrays(arrays.ours, {{StageId::weights, weights}})), Names{"dropout-left-on"}) << factor;
  }
  // Zeros that lie together, or where weights are small, are no dropout.
  using Drops = std::function<bool(double own, std::int64_t i, std::int64_t j, std::int64_t h)>;
  const std::vector<std::pair<const char*, Drops>> patterns = {
      {"a row", [](double, std::int64_t i, std::int64_t, std::int64_t) { return i == 3; }},
      {"a head", [](double, std::int64_t, std::int64_t, std::int64_t h) { return h == 1; }},
      {"keys", [](double, std::int64_t, std::int64_t j, std::int64_t) { return j % 5 == 0; }},
      {"small ones", [](double own, std::int64_t, std::int64_t, std::int64_t) { return own < 0.02; }},
      {"far ones", [](double, std::int64_t i, std::int64_t j, std::int64_t) { return std::abs(i - j) > 8; }}};
  for (const auto& pattern : patterns) {
    const Drops& drops = pattern.second;
    for (const double factor : {1.0, 1.25, 2.0}) {
      const Tensor zeroed = changed_rows(right, [&](std::vector<double>& row, std::int64_t i, std::int64_t h) {
        for (std::int64_t j = 0; j < 24; ++j) {
          double& each = row[static_cast<std::size_t>(j)];
          each = drops(each, i, j, h) ? 0 : each * factor;
        }
      });
      const Diagnosis found = diagnose_arrays(arrays.ours, {{StageId::weights, zeroed}});
      EXPECT_NE(named(found), Names{"dropout-left-on"}) << pattern.first << " " << factor;
    }
  }
  // Other weights in which some are 0 are no dropout.
  const Tensor other =
      changed_rows(drawn({1, 2, 24, 24}, 9), [&](std::vector<double>& row, std::int64_t, std::int64_t) {
        normalise(row);
        for (double& each : row) each *= keeps(random) ? 1.25 : 0;
      });
  EXPECT_EQ(named(diagnose_arrays(arrays.ours, {{StageId::weights, other}})), Names{"differs"});
}

TEST(NamedMistakes, ABiasFileWhoseRowsAndColumnsAreExchanged) {
  Arrays arrays;
  arrays.ours.options.mask_kind = MaskKind::additive;
  arrays.ours.mask = Tensor::of({6, 6}, {Axis::query, Axis::key}, drawn({1, 1, 6, 6}, 7).values());
  const Tensor weights = changed_rows(arrays.masked(), [&](std::vector<double>& row, std::int64_t i, std::int64_t) {
    for (std::int64_t j = 0; j < 6; ++j) row[static_cast<std::size_t>(j)] += arrays.ours.mask.at({j, i});
    normalise(row);
  });
  EXPECT_EQ(named(diagnose_arrays(arrays.ours, {{StageId::weights, weights}})), Names{"mask-file-transposed"});
}

TEST(NamedMistakes, DistancesThatKeepTheirSign) {
  Arrays arrays;
  arrays.ours.options.mask = {{MaskTerm::Kind::alibi, 0, ""}};
  const Tensor weights = changed_rows(arrays.products(), [](std::vector<double>& row, std::int64_t i, std::int64_t h) {
    const double slope = std::exp2(-4.0 * static_cast<double>(h + 1));  // of two heads
    for (std::int64_t j = 0; j < 6; ++j) {
      double& each = row[static_cast<std::size_t>(j)];
      each = each / std::sqrt(8.0) + slope * static_cast<double>(j - i);
    }
    normalise(row);
  });
  EXPECT_EQ(named(diagnose_arrays(arrays.ours, {{StageId::weights, weights}})), Names{"alibi-signed"});
}

TEST(NamedMistakes, ASoftcapBehindTheMask) {
  const auto ours = whole_model("gemma2")->model->layers.front();
  const double cap = 4;
  Request request = ours->request;
  request.softcap = cap;
  const auto capped = Engine().run(request, {});
  const Tensor weights =
      changed_rows(capped->tensor(StageId::scores), [&](std::vector<double>& row, std::int64_t i, std::int64_t h) {
        for (std::size_t j = 0; j < row.size(); ++j) {
          const bool hidden = capped->mask->hidden.hidden(0, h, i, static_cast<std::int64_t>(j));
          row[j] = hidden ? -cap : cap * std::tanh(row[j] / cap);
        }
        normalise(row);
      });
  EXPECT_EQ(named(diagnose(*capped, {{StageId::weights, weights}}, make_cpu_backend(1), {}, {})),
            Names{"softcap-after-mask"});
}

TEST(NamedMistakes, ASinkThatIsKeptInPlaceOfTheLastKey) {
  const auto ours = whole_model("gpt_oss")->model->layers.front();
  const Tensor& sinks = ours->inputs->weights.sinks;
  ASSERT_FALSE(sinks.empty());
  const Tensor weights =
      changed_rows(ours->tensor(StageId::masked_scores), [&](std::vector<double>& row, std::int64_t, std::int64_t h) {
        row.insert(row.begin(), static_cast<double>(sinks.at({h})));
        normalise(row);
        row.pop_back();
      });
  EXPECT_EQ(named(diagnose(*ours, {{StageId::weights, weights}}, make_cpu_backend(1), {}, {})), Names{"sinks-kept"});
}

TEST(NamedMistakes, ANormOverAllHeadsTogether) {
  const auto ours = whole_model("qwen3")->model->layers.front();
  const HeadRule& rule = *ours->inputs->head_rule;
  const Tensor& query = ours->tensor(StageId::query);
  const Tensor& projected = ours->tensor(StageId::query_proj);
  const std::vector<float> weight = rule.query_norm.values();
  const std::int64_t features = query.dim(3), half = features / 2;
  const Tensor wrong = changed_rows(query, [&](std::vector<double>& row, std::int64_t i, std::int64_t h) {
    double squares = 0;
    const std::int64_t width = projected.dim(2);
    for (std::int64_t d = 0; d < width; ++d) squares += std::pow(static_cast<double>(projected.at({0, i, d})), 2);
    const double factor = 1 / std::sqrt(squares / static_cast<double>(width) + rule.norm_eps);
    std::vector<double> normed(row.size());
    for (std::int64_t d = 0; d < features; ++d) {
      normed[static_cast<std::size_t>(d)] = static_cast<double>(projected.at({0, i, h * features + d})) * factor *
                                            static_cast<double>(weight[static_cast<std::size_t>(d)]);
    }
    for (std::int64_t p = 0; p < half; ++p) {
      const auto a = static_cast<std::size_t>(p), b = static_cast<std::size_t>(p + half);
      const double angle = static_cast<double>(i) * rule.rotary->rule().inverse_frequencies[a];
      row[a] = normed[a] * std::cos(angle) - normed[b] * std::sin(angle);
      row[b] = normed[b] * std::cos(angle) + normed[a] * std::sin(angle);
    }
  });
  EXPECT_EQ(named(diagnose(*ours, {{StageId::query, wrong}}, make_cpu_backend(1), {}, {})), Names{"head-norm-width"});
}

}  // namespace
}  // namespace headscope

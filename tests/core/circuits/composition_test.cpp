// Composition scores against plain loops that make every matrix of d_model by d_model, against NumPy's, and against
// what random matrices have.
#include "core/circuits/composition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/heads/head_metric_values.h"
#include "tests/core/circuits/circuits_models.h"

namespace headscope {
namespace {

using Square = std::vector<std::vector<double>>;

// sum over f of a[f][i] b[f][j]: A^T B of two maps [features, d_model].
Square product_of(const Tensor& a, std::int64_t m, const Tensor& b, std::int64_t n) {
  const auto d = static_cast<std::size_t>(a.dim(2));
  Square result(d, std::vector<double>(d));
  for (std::int64_t f = 0; f < a.dim(1); ++f) {
    for (std::size_t i = 0; i < d; ++i) {
      const double left = a.at({m, f, static_cast<std::int64_t>(i)});
      for (std::size_t j = 0; j < d; ++j) result[i][j] += left * b.at({n, f, static_cast<std::int64_t>(j)});
    }
  }
  return result;
}

Square transposed(const Square& a) {
  Square result = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) result[i][j] = a[j][i];
  }
  return result;
}

double norm_of(const Square& a) {
  double sum = 0;
  for (const auto& row : a) {
    for (const double each : row) sum += each * each;
  }
  return std::sqrt(sum);
}

double plain_score(const Square& later, const Square& earlier) {
  Square product(later.size(), std::vector<double>(later.size()));
  for (std::size_t i = 0; i < later.size(); ++i) {
    for (std::size_t k = 0; k < later.size(); ++k) {
      for (std::size_t j = 0; j < later.size(); ++j) product[i][j] += later[i][k] * earlier[k][j];
    }
  }
  return norm_of(product) / norm_of(later) / norm_of(earlier);
}

Composition composed(const std::vector<HeadMaps>& maps, int threads = 2) {
  return composition(
      static_cast<std::int64_t>(maps.size()), [&](std::int64_t layer) { return maps[static_cast<std::size_t>(layer)]; },
      *make_cpu_backend(threads), CancelToken());
}

std::vector<HeadMaps> three_layers(const MapSizes& sizes, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<HeadMaps> maps;
  for (int layer = 0; layer < 3; ++layer) maps.push_back(random_maps(sizes, draw));
  return maps;
}

void expect_plain(const std::vector<HeadMaps>& maps) {
  const Composition found = composed(maps);
  const std::int64_t heads = found.heads;
  double difference = 0;
  for (std::int64_t row = 0; row < found.layers * heads; ++row) {
    for (std::int64_t column = 0; column < found.layers * heads; ++column) {
      if (column / heads >= row / heads) {
        for (const Tensor& scores : found.scores) EXPECT_EQ(scores.at({row, column}), 0);
        continue;
      }
      const HeadMaps& two = maps[static_cast<std::size_t>(row / heads)];
      const HeadMaps& one = maps[static_cast<std::size_t>(column / heads)];
      const std::int64_t h2 = row % heads, h1 = column % heads;
      const Square qk = product_of(two.query, h2, two.key, two.group_of(h2));
      const Square ov2 = product_of(two.output, h2, two.value, two.group_of(h2));
      const Square ov1 = product_of(one.output, h1, one.value, one.group_of(h1));
      const double wanted[] = {plain_score(transposed(qk), ov1), plain_score(qk, ov1), plain_score(ov2, ov1)};
      for (std::size_t kind = 0; kind < 3; ++kind) {
        const double apart = std::fabs(found.scores[kind].at({row, column}) - wanted[kind]);
        EXPECT_TRUE(apart <= 2e-6) << row << ", " << column << ", " << kCompositionNames[kind];
        difference = std::max(difference, apart);
      }
    }
  }
  EXPECT_TRUE(difference <= 2e-6) << difference;
}

TEST(Composition, IsWhatPlainLoopsGive) {
  expect_plain(three_layers({}, 1));
  expect_plain(three_layers({4, 4, 3, 3, 12}, 2));
  expect_plain(three_layers({2, 1, 6, 2, 5}, 3));  // more features than d_model
  expect_plain(three_layers({1, 1, 1, 1, 4}, 4));
}

TEST(Composition, IsWhatNumPyGivesForEveryLayoutOfWeights) {
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/circuits.json");
  for (const auto& golden : nlohmann::json::parse(file)) {
    const std::string name = golden.at("model");
    SCOPED_TRACE(name + ", " + golden.at("norms").get<std::string>());
    const auto checkpoint = circuits_model(name);
    const NormFolding norms = golden.at("norms") == "fold" ? NormFolding::fold : NormFolding::ignore;
    const Composition found = composition(
        checkpoint->architecture().num_layers, [&](std::int64_t layer) { return head_maps(*checkpoint, layer, norms); },
        *make_cpu_backend(1), CancelToken());
    for (const auto& pair : golden.at("pairs")) {
      for (std::size_t kind = 0; kind < 3; ++kind) {
        const auto& rows = pair.at(kCompositionNames[kind]);
        ASSERT_EQ(static_cast<std::int64_t>(rows.size()), found.heads);
        for (std::int64_t h2 = 0; h2 < found.heads; ++h2) {
          for (std::int64_t h1 = 0; h1 < found.heads; ++h1) {
            const double score = found.scores[kind].at({pair.at("layer").get<std::int64_t>() * found.heads + h2,
                                                        pair.at("from_layer").get<std::int64_t>() * found.heads + h1});
            const double wanted = rows[static_cast<std::size_t>(h2)][static_cast<std::size_t>(h1)];
            EXPECT_TRUE(std::fabs(score - wanted) <= 3e-6) << kCompositionNames[kind] << " " << h2 << ", " << h1;
          }
        }
      }
    }
  }
}

// The root of the mean of the squares of many scores of random maps.
TEST(Composition, RandomMapsHaveWhatIsSaidOfThem) {
  for (const MapSizes& sizes : {MapSizes{4, 4, 3, 3, 12}, MapSizes{4, 4, 8, 4, 32}}) {
    double squares = 0, count = 0, random = 0;
    for (std::uint64_t seed = 10; seed < 60; ++seed) {
      const Composition found = composed(three_layers(sizes, seed));
      random = found.random;
      for (const Tensor& scores : found.scores) {
        for (const float score : scores.values()) {
          if (score == 0) continue;
          squares += static_cast<double>(score) * score;
          count += 1;
        }
      }
    }
    EXPECT_EQ(random, 1 / std::sqrt(static_cast<double>(sizes.d_model)));
    EXPECT_NEAR(std::sqrt(squares / count), random, 0.02 * random);
  }
}

// The demo's heads of layer 1 find what stood after the same word through what heads of layer 0 say of the token
// before.
TEST(Composition, InductionReadsPreviousTokensThroughItsKeys) {
  Request request;
  request.model = "demo:induction";
  request.phrase = "cat box ink fox jam cat box";
  request.layer = 0;
  const auto trace = Engine().run(request, {});
  std::set<std::int64_t> previous;
  const TokenPlaces places(*trace);
  for (std::int64_t h = 0; h < trace->num_heads(); ++h) {
    if (head_metrics(*trace, 0, h, places, {})[HeadMetric::previous_token].value > 0.5) previous.insert(h);
  }
  ASSERT_FALSE(previous.empty());
  const auto& checkpoint = *trace->model->checkpoint;
  const Composition found = composition(
      2, [&](std::int64_t layer) { return head_maps(checkpoint, layer, NormFolding::fold); }, *make_cpu_backend(1), {});
  for (const ComposedPair& pair : strongest_pairs(found, CompositionKind::key, 8)) {
    EXPECT_EQ(pair.layer, 1);
    EXPECT_EQ(pair.from_layer, 0);
    EXPECT_TRUE(previous.count(pair.from_head) == 1) << pair.from_head;
    EXPECT_GT(pair.score, 2 * found.random);
  }
  for (const ComposedPair& pair : strongest_pairs(found, CompositionKind::query, 1)) {
    EXPECT_LT(pair.score, found.random) << "its queries ask for the word itself";
  }
}

TEST(Composition, PairsAreSortedAndHeadsOfZerosHaveNone) {
  std::vector<HeadMaps> maps = three_layers({}, 7);
  maps[1].output = Tensor::zeros(maps[1].output.shape(), maps[1].output.axes());
  const Composition found = composed(maps);
  const std::vector<ComposedPair> pairs = strongest_pairs(found, CompositionKind::value, 1000);
  ASSERT_EQ(pairs.size(), 3u * 4u * 4u);
  for (std::size_t k = 1; k < pairs.size(); ++k) EXPECT_GE(pairs[k - 1].score, pairs[k].score);
  for (const ComposedPair& pair : pairs) {
    EXPECT_LT(pair.from_layer, pair.layer);
    EXPECT_EQ(pair.score == 0, pair.layer == 1 || pair.from_layer == 1);
  }
}

TEST(Composition, ThreadsChangeNoBit) {
  const std::vector<HeadMaps> maps = three_layers({8, 2, 16, 16, 96}, 5);
  const Composition one = composed(maps, 1), many = composed(maps, 4);
  for (std::size_t kind = 0; kind < 3; ++kind) EXPECT_EQ(one.scores[kind].values(), many.scores[kind].values());
}

TEST(Composition, ACancelledOneThrows) {
  CancelToken token;
  token.cancel();
  const std::vector<HeadMaps> maps = three_layers({}, 7);
  EXPECT_THROW(
      composition(
          3, [&](std::int64_t layer) { return maps[static_cast<std::size_t>(layer)]; }, *make_cpu_backend(1), token),
      Cancelled);
}

}  // namespace
}  // namespace headscope

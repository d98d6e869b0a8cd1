// What tokens do to a logit: against central differences, quadrature and zeroed rows of plain loops in double.
#include "core/sweep/input_attribution.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kIds = {1, 5, 4, 7, 8, 9};

Request input_golden(const std::string& name) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = kIds;
  request.backend = BackendChoice::cpu;
  request.threads = 1;
  return request;
}

InputAttribution input_found(const std::string& name, InputMethod method, std::int64_t steps = kPathSteps) {
  return input_attribution({}, {input_golden(name), -2, {"3", "8"}, method, steps}, CancelToken());
}

// What layer 0 of these models reads is their rows of embeddings as they stand, with positions added where they are
// learned: logit(3) - logit(8) at position 4 when the rows of tokens count shares[i] times.
double plain_at(const std::string& model, const std::vector<double>& shares) {
  const auto checkpoint = Checkpoint::open(input_golden(model).model);
  const Tensor table = checkpoint->embedding().word;
  PlainParts parts;
  parts.change = [&](const std::string& name, PlainRows& rows) {
    if (name != "0/stream") return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t d = 0; d < rows[i].size(); ++d) {
        rows[i][d] += (shares[i] - 1) * static_cast<double>(table.at({kIds[i], static_cast<std::int64_t>(d)}));
      }
    }
  };
  const PlainRows logits = plain_logits(model, kIds, parts);
  return logits[4][3] - logits[4][8];
}

double plain_slope_at(const std::string& model, std::vector<double> shares, std::size_t token) {
  constexpr double kStep = 1e-5;
  const double own = shares[token];
  shares[token] = own + kStep;
  const double above = plain_at(model, shares);
  shares[token] = own - kStep;
  return (above - plain_at(model, shares)) / (2 * kStep);
}

TEST(InputAttribution, ValueAndBaselineAreThoseOfPlainLoops) {
  for (const char* model : {"gpt2", "llama"}) {
    const InputAttribution found = input_found(model, InputMethod::gradient_input);
    EXPECT_EQ(found.position, 4);
    EXPECT_NEAR(found.value, plain_at(model, {1, 1, 1, 1, 1, 1}), 2e-5) << model;
    EXPECT_NEAR(found.baseline, plain_at(model, {0, 0, 0, 0, 0, 0}), 2e-5) << model;
    EXPECT_EQ(found.total(), found.value - found.baseline);
    EXPECT_NEAR(found.gap(), found.total() - found.sum(), 1e-12);
  }
}

TEST(InputAttribution, GradientTimesInputIsTheSlopeAlongTheRow) {
  for (const char* model : {"gpt2", "llama"}) {
    const InputAttribution found = input_found(model, InputMethod::gradient_input);
    for (std::size_t i = 0; i < kIds.size(); ++i) {
      const double wanted = plain_slope_at(model, {1, 1, 1, 1, 1, 1}, i);
      EXPECT_NEAR(found.tokens[i], wanted, 1e-4 * std::max(1.0, std::abs(wanted))) << model << " " << i;
    }
    EXPECT_EQ(found.tokens[5], 0) << "a later token is not seen";
    EXPECT_NE(found.tokens[0], 0);
  }
}

TEST(InputAttribution, OcclusionIsTheLogitLessThatWithoutTheRow) {
  for (const char* model : {"gpt2", "llama"}) {
    const InputAttribution found = input_found(model, InputMethod::occlusion);
    for (std::size_t i = 0; i < kIds.size(); ++i) {
      std::vector<double> shares(kIds.size(), 1.0);
      shares[i] = 0;
      EXPECT_NEAR(found.tokens[i], plain_at(model, {1, 1, 1, 1, 1, 1}) - plain_at(model, shares), 3e-5)
          << model << " " << i;
    }
    EXPECT_EQ(found.tokens[5], 0);
  }
}

TEST(InputAttribution, APathIsTheIntegralOfPlainSlopes) {
  const InputAttribution found = input_found("gpt2", InputMethod::integrated);
  EXPECT_NEAR(found.gap(), 0, 1e-3 * std::abs(found.total()));
  EXPECT_GT(found.steps, 0);
  // Midpoints of a fine path, by central differences.
  constexpr int kPoints = 400;
  for (const std::size_t token : {3u}) {
    double sum = 0;
    for (int k = 0; k < kPoints; ++k) {
      const double t = (k + 0.5) / kPoints;
      // d f / d share of one row is (d f / d E) . E, at the share t of all of them; along the path the row is E dt.
      sum += plain_slope_at("gpt2", std::vector<double>(kIds.size(), t), token) / kPoints;
    }
    EXPECT_NEAR(found.tokens[token], sum, 2e-3 * std::max(1.0, std::abs(sum))) << token;
  }
}

TEST(InputAttribution, AShortPathSaysWhatItMisses) {
  const InputAttribution found = input_found("llama", InputMethod::integrated, kLeastPathSteps);
  EXPECT_EQ(found.steps, kLeastPathSteps);
  EXPECT_GT(std::abs(found.gap()), 1e-3 * std::abs(found.total())) << "without positions the logit bends near zero";
  EXPECT_NEAR(found.gap(), found.total() - found.sum(), 1e-12);
}

// Norms and projections of embeddings stand between the sums and layer 0, and rows may vanish before a norm: what the
// path adds up to is known from runs alone.
TEST(InputAttribution, APathAddsUpThroughNormsAndProjectionsOfEmbeddings) {
  for (const char* model : {"bert", "albert", "electra-wide", "opt", "llama"}) {
    const InputAttribution found = input_found(model, InputMethod::integrated);
    EXPECT_GT(std::abs(found.total()), 1e-3) << model;
    EXPECT_LE(std::abs(found.gap()), 1.1e-3 * std::abs(found.total()) + 2e-5 * std::abs(found.value)) << model;
  }
}

TEST(InputAttribution, NodesIntegratePolynomialsExactly) {
  for (const std::int64_t count : {1, 2, 5, 32, 1000}) {
    const std::vector<PathNode> nodes = gauss_legendre(count);
    ASSERT_EQ(std::ssize(nodes), count);
    for (const int degree : {0, 1, 3, 9}) {
      if (degree >= 2 * count) continue;
      double sum = 0;
      for (const PathNode& node : nodes) sum += node.weight * std::pow(node.share, degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 1e-12) << count << " " << degree;
    }
    for (std::size_t k = 1; k < nodes.size(); ++k) EXPECT_LT(nodes[k - 1].share, nodes[k].share);
  }
}

TEST(InputAttribution, WhatHasNoLogitsOrNoTokensIsRefused) {
  const auto asked = [](const Request& request, InputMethod method = InputMethod::occlusion) {
    return input_attribution({}, {request, -1, {"3"}, method, kPathSteps}, CancelToken());
  };
  Request layer;
  layer.phrase = "a b";
  EXPECT_THROW(asked(layer), UsageError);
  Request beyond = input_golden("gpt2");
  EXPECT_THROW(input_attribution({}, {beyond, 6, {"3"}, InputMethod::occlusion, 1}, CancelToken()), UsageError);
  EXPECT_THROW(input_attribution({}, {beyond, 0, {"100000"}, InputMethod::occlusion, 1}, CancelToken()), UsageError);
  // The backward pass does not know a mixture; occlusion needs none.
  EXPECT_THROW(asked(input_golden("mixtral"), InputMethod::gradient_input), UsageError);
  EXPECT_EQ(asked(input_golden("mixtral")).tokens.size(), kIds.size());
  EXPECT_THROW(asked(input_golden("deepseek_v2")), UsageError);
}

}  // namespace
}  // namespace headscope

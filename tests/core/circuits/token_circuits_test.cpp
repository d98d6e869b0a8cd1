// Token to token, against runs of single tokens: at position 0 rotary positions turn nothing.
#include "core/circuits/token_circuits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/engine.h"
#include "core/attention/trace.h"

namespace headscope {
namespace {

constexpr std::int64_t kTokens = 24;

std::shared_ptr<const Trace> circuits_run_of(const std::string& model, std::int64_t id, std::int64_t kept_head) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model;
  request.token_ids = {id};
  request.layer = 0;
  request.backend = BackendChoice::reference;
  for (std::int64_t h = 0; h < 4; ++h) {
    if (h != kept_head) request.ablate.push_back({{0, h}, true});
  }
  return Engine().run(request, {});
}

double dot(const Tensor& a, std::int64_t head_a, const Tensor& b, std::int64_t head_b) {
  double sum = 0;
  for (std::int64_t d = 0; d < a.dim(3); ++d) {
    sum += static_cast<double>(a.at({0, head_a, 0, d})) * static_cast<double>(b.at({0, head_b, 0, d}));
  }
  return sum;
}

void expect_order(const std::vector<TokenScore>& found, const std::vector<double>& wanted, const char* what) {
  ASSERT_EQ(std::ssize(found), kTokens) << what;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double here = wanted[static_cast<std::size_t>(found[k].id)];
    EXPECT_TRUE(std::abs(found[k].value - here) <= 2e-5 * (1 + std::abs(here))) << what << " " << found[k].id;
    if (k > 0) {
      EXPECT_GE(found[k - 1].value, found[k].value) << what;
    }
  }
}

// Llama has neither positions in its stream nor biases, and its heads share keys.
TEST(TokenCircuit, IsWhatRunsOfSingleTokensGive) {
  const auto checkpoint = Checkpoint::open(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/llama");
  const OutputHead output = checkpoint->output_head();
  for (const std::int64_t head : {1, 2}) {
    const auto own = circuits_run_of("llama", 7, head);
    std::vector<double> keys, queries, writes;
    for (std::int64_t id = 0; id < kTokens; ++id) {
      const auto other = circuits_run_of("llama", id, head);
      keys.push_back(own->scale * dot(own->tensor(StageId::query), head, other->tensor(StageId::key), head / 2));
      queries.push_back(own->scale * dot(other->tensor(StageId::query), head, own->tensor(StageId::key), head / 2));
      double logit = 0;
      for (std::int64_t d = 0; d < own->inputs->d_model; ++d) {
        logit += static_cast<double>(output.decoder.weight.at({id, d})) *
                 static_cast<double>(output.final_norm.weight.at({d})) *
                 static_cast<double>(own->tensor(StageId::output).at({0, 0, d}));
      }
      writes.push_back(logit);
    }
    const TokenCircuit found = token_circuit(*checkpoint, {0, head, 7, 100}, NormFolding::fold, {});
    expect_order(found.keys, keys, "keys");
    expect_order(found.queries, queries, "queries");
    expect_order(found.writes, writes, "writes");
    const TokenCircuit some = token_circuit(*checkpoint, {0, head, 7, 3}, NormFolding::fold, {});
    ASSERT_EQ(some.keys.size(), 3u);
    EXPECT_EQ(some.keys[2].id, found.keys[2].id);
  }
}

TEST(TokenCircuit, OfAMaskedHeadWritesNoLogits) {
  const auto checkpoint = Checkpoint::open(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/bert");
  const TokenCircuit found = token_circuit(*checkpoint, {1, 0, 3, 5}, NormFolding::ignore, {});
  EXPECT_TRUE(found.writes.empty());
  EXPECT_EQ(found.keys.size(), 5u);
}

TEST(TokenCircuit, TheInductionDemosHeadCopiesWhatItReads) {
  const auto checkpoint = Checkpoint::open("demo:induction");
  const TokenCircuit found = token_circuit(*checkpoint, {1, 7, 6, 1}, NormFolding::fold, {});
  ASSERT_EQ(found.writes.size(), 1u);
  EXPECT_EQ(found.writes[0].id, 6) << "box raises box";
}

}  // namespace
}  // namespace headscope

#include "core/generate/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "core/base/error.h"

namespace headscope {
namespace {

Sampling sampling_of(const std::string& text, double temperature = 1) {
  Sampling sampling;
  set_sampling(sampling, text);
  sampling.temperature = temperature;
  return sampling;
}

std::vector<float> random_logits(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> logits(count);
  for (float& logit : logits) logit = normal(random);
  return logits;
}

// The chances of all tokens by their definition, in plain loops: no sorting, one comparison of each with each.
struct PlainChances {
  std::vector<double> probability, chance;
  std::int64_t kept = 0;
};

PlainChances plain_chances(const std::vector<float>& logits, const Sampling& sampling) {
  const std::size_t count = logits.size();
  PlainChances plain;
  std::vector<double> heated(count);
  double sum = 0, heated_sum = 0;
  for (const float logit : logits) {
    sum += std::exp(static_cast<double>(logit));
    heated_sum += std::exp(static_cast<double>(logit) / sampling.temperature);
  }
  for (std::size_t i = 0; i < count; ++i) {
    plain.probability.push_back(std::exp(static_cast<double>(logits[i])) / sum);
    heated[i] = std::exp(static_cast<double>(logits[i]) / sampling.temperature) / heated_sum;
  }
  double mass = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t before = 0;
    double mass_before = 0;
    for (std::size_t j = 0; j < count; ++j) {
      if (!(logits[j] > logits[i] || (logits[j] == logits[i] && j < i))) continue;
      ++before;
      mass_before += heated[j];
    }
    const bool kept = sampling.kind == Sampling::Kind::greedy  ? before == 0
                      : sampling.kind == Sampling::Kind::top_k ? before < sampling.k
                                                               : mass_before < sampling.p;
    plain.chance.push_back(kept ? heated[i] : 0);
    plain.kept += kept ? 1 : 0;
    mass += plain.chance.back();
  }
  for (double& chance : plain.chance) chance /= mass;
  return plain;
}

TEST(Sampler, ChancesAreThoseOfPlainLoops) {
  std::mt19937 random(3);
  for (const char* text : {"greedy", "top-k:1", "top-k:4", "top-k:40", "top-k:9000", "top-p:0.05", "top-p:0.5",
                           "top-p:0.9", "top-p:0.999", "top-p:1"}) {
    for (const double temperature : {1.0, 0.3, 4.0}) {
      const Sampling sampling = sampling_of(text, temperature);
      std::vector<float> logits = random_logits(random, 50);
      logits[7] = logits[30];
      const PlainChances plain = plain_chances(logits, sampling);
      const SampledToken found = sampled_token(logits, sampling, 0.5, 60);
      EXPECT_EQ(found.kept, plain.kept) << text;
      ASSERT_EQ(found.top.size(), 50u) << "no more than there are";
      for (std::size_t n = 0; n < found.top.size(); ++n) {
        const TokenChance& each = found.top[n];
        const auto id = static_cast<std::size_t>(each.id);
        EXPECT_TRUE(std::abs(each.probability - plain.probability[id]) <= 1e-13) << text;
        EXPECT_TRUE(std::abs(each.chance - plain.chance[id]) <= 1e-12) << text << " at " << temperature;
        if (n == 0) continue;
        const auto last = static_cast<std::size_t>(found.top[n - 1].id);
        EXPECT_TRUE(logits[last] > logits[id] || (logits[last] == logits[id] && last < id));
      }
    }
  }
}

TEST(Sampler, TheDrawnNumberFallsIntoTheChosenTokensShare) {
  std::mt19937 random(5);
  for (const char* text : {"greedy", "top-k:3", "top-p:0.8", "top-p:1"}) {
    const Sampling sampling = sampling_of(text, 0.7);
    const std::vector<float> logits = random_logits(random, 30);
    for (const double drawn : {0.0, 1e-9, 0.25, 0.5, 0.75, 0.999, std::nextafter(1.0, 0.0)}) {
      const SampledToken found = sampled_token(logits, sampling, drawn, 30);
      double below = 0;
      for (std::size_t n = 0; found.top[n].id != found.token.id; ++n) below += found.top[n].chance;
      EXPECT_TRUE(below <= drawn + 1e-12 && drawn <= below + found.token.chance + 1e-12) << text << " " << drawn;
      EXPECT_GT(found.token.chance, 0.0);
    }
  }
}

TEST(Sampler, GreedyTakesTheLowestOfEqualIds) {
  const std::vector<float> logits = {0, 3, -1, 3, 3};
  for (const double drawn : {0.0, 0.4, 0.9999}) {
    EXPECT_EQ(sampled_token(logits, Sampling(), drawn, 0).token.id, 1);
    EXPECT_EQ(sampled_token(logits, sampling_of("top-k:1"), drawn, 0).token.id, 1);
  }
  EXPECT_EQ(sampled_token(logits, Sampling(), 0, 0).token.chance, 1.0);
  EXPECT_TRUE(sampled_token(logits, Sampling(), 0, 0).top.empty());
  const SampledToken two = sampled_token(logits, sampling_of("top-k:2"), 0.75, 5);
  EXPECT_EQ(two.token.id, 3);
  EXPECT_EQ(two.token.chance, 0.5);
  EXPECT_EQ(two.top[2].id, 4);
  EXPECT_EQ(two.top[2].chance, 0.0);
  // Two thirds of the mass are two of three equal tokens, a hair more are all three.
  const std::vector<float> equal = {1, 1, 1};
  EXPECT_EQ(sampled_token(equal, sampling_of("top-p:0.666"), 0, 0).kept, 2);
  EXPECT_EQ(sampled_token(equal, sampling_of("top-p:0.667"), 0, 0).kept, 3);
}

TEST(Sampler, ExtremeTemperaturesAndLogitsStayNumbers) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {-kInfinite, 3e38F, -3e38F, 3e38F, 0};
  for (const double temperature : {5e-324, 1e-300, 1.0, 1e300}) {
    for (const char* text : {"greedy", "top-k:5", "top-p:1", "top-p:0.5"}) {
      for (const double drawn : {0.0, 0.3, std::nextafter(1.0, 0.0)}) {
        const SampledToken found = sampled_token(logits, sampling_of(text, temperature), drawn, 5);
        double sum = 0;
        for (const TokenChance& each : found.top) sum += each.chance;
        EXPECT_TRUE(std::abs(sum - 1) <= 1e-12) << text << " " << temperature;
        EXPECT_NE(found.token.id, 0) << "its probability is 0";
        EXPECT_GT(found.token.chance, 0.0);
      }
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& bad :
       {std::vector<float>{0, nan}, {kInfinite, 0}, {-kInfinite, -kInfinite}, std::vector<float>{}}) {
    EXPECT_FALSE(can_sample(bad));
  }
  EXPECT_TRUE(can_sample(logits));
}

TEST(Sampler, DrawsAreAsFrequentAsTheirChances) {
  std::mt19937 random(9);
  const std::vector<float> logits = random_logits(random, 12);
  for (const char* text : {"top-k:4", "top-p:0.8", "top-p:1"}) {
    const Sampling sampling = sampling_of(text, 1.5);
    const PlainChances plain = plain_chances(logits, sampling);
    constexpr int kDraws = 40000;
    std::vector<int> counts(logits.size());
    for (int step = 0; step < kDraws; ++step) {
      const double drawn = drawn_number(17, static_cast<std::uint64_t>(step));
      ++counts[static_cast<std::size_t>(sampled_token(logits, sampling, drawn, 0).token.id)];
    }
    for (std::size_t id = 0; id < logits.size(); ++id) {
      const double expected = plain.chance[id] * kDraws;
      if (plain.chance[id] == 0) {
        EXPECT_EQ(counts[id], 0) << "left out";
      } else {
        const double deviation = std::sqrt(expected * (1 - plain.chance[id]));
        EXPECT_TRUE(std::abs(counts[id] - expected) <= 5 * deviation + 1) << text << " " << id;
      }
    }
  }
}

// The published generator's first outputs for the seeds 1234567 and 0.
TEST(Sampler, DrawnNumbersAreSplitMix64s) {
  const auto expect_outputs = [](std::uint64_t seed, const std::vector<std::uint64_t>& outputs) {
    for (std::size_t step = 0; step < outputs.size(); ++step) {
      EXPECT_EQ(drawn_number(seed, step), std::ldexp(static_cast<double>(outputs[step] >> 11), -53)) << seed;
    }
  };
  expect_outputs(1234567, {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
                           16408922859458223821U});
  expect_outputs(0, {0xe220a8397b1dcdafU, 0x6e789e6aa1b965f4U, 0x06c45d188009454fU});
  std::set<double> different;
  double sum = 0;
  for (std::uint64_t step = 0; step < 10000; ++step) {
    const double drawn = drawn_number(18446744073709551615U, step);
    EXPECT_TRUE(drawn >= 0 && drawn < 1);
    different.insert(drawn);
    sum += drawn;
  }
  EXPECT_EQ(different.size(), 10000u);
  EXPECT_TRUE(std::abs(sum / 10000 - 0.5) <= 0.01);
}

TEST(Sampler, WordsAreReadAsTheyAreWritten) {
  for (const char* text : {"greedy", "top-k:1", "top-k:40", "top-p:0.9", "top-p:1", "top-p:1e-05"}) {
    EXPECT_EQ(sampling_text(sampling_of(text)), text);
  }
  for (const char* text :
       {"",          "Greedy",    "beam",       "top-k",        "top-k:",    "top-k:0",
        "top-k:-1",  "top-k:1.5", "top-k:x",    "top-k: 2",     "top-k:2 ",  "top-k:99999999999999999999",
        "top-p:",    "top-p:0",   "top-p:-0.1", "top-p:1.0001", "top-p:nan", "top-p:inf",
        "top-p:0x1", "top-p:1,2", "greedy:1"}) {
    Sampling sampling = sampling_of("top-k:7");
    try {
      set_sampling(sampling, text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.option(), "sample") << text;
    }
    EXPECT_EQ(sampling, sampling_of("top-k:7")) << "as it was";
  }
  Sampling sampling;
  for (const char* text : {"0", "-1", "nan", "inf", "-0", "", "1e999", "warm"}) {
    EXPECT_THROW(set_temperature(sampling, text), UsageError) << text;
  }
  set_temperature(sampling, "0.25");
  EXPECT_EQ(sampling.temperature, 0.25);
}

}  // namespace
}  // namespace headscope

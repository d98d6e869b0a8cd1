#include "core/generate/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/request/option_text.h"

namespace headscope {
namespace {

constexpr const char* kSampleWords =
    "greedy, top-k:K with K from 1, or top-p:P with P above 0 and at most 1, such as top-k:40 or top-p:0.9";
constexpr std::string_view kTopK = "top-k:", kTopP = "top-p:";

using Ids = std::vector<std::int64_t>;

// exp((logit - largest) / temperature) of every token, and their sum in the order of ids.
struct Exponentials {
  std::vector<double> of;
  double sum = 0;
};

Exponentials exponentials_of(std::span<const float> logits, double temperature) {
  const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  Exponentials result;
  result.of.reserve(logits.size());
  for (const float logit : logits) {
    result.of.push_back(std::exp((static_cast<double>(logit) - largest) / temperature));
    result.sum += result.of.back();
  }
  return result;
}

// All ids, of which the first `sorted` are the most probable in their order.
Ids ordered_ids(std::span<const float> logits, std::size_t sorted) {
  Ids ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto logit = [&](std::int64_t id) { return logits[static_cast<std::size_t>(id)]; };
  std::partial_sort(
      ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(sorted), ids.end(),
      [&](std::int64_t a, std::int64_t b) { return logit(a) > logit(b) || (logit(a) == logit(b) && a < b); });
  return ids;
}

// How many of the ordered ids can be drawn.
std::size_t kept_count(const Sampling& sampling, const Ids& ids, const Exponentials& heated) {
  switch (sampling.kind) {
    case Sampling::Kind::greedy:
      return 1;
    case Sampling::Kind::top_k:
      return static_cast<std::size_t>(std::min<std::int64_t>(sampling.k, static_cast<std::int64_t>(ids.size())));
    case Sampling::Kind::top_p:
      break;
  }
  if (!(sampling.p < 1)) return ids.size();  // sums of rounded numbers may stop just below their total
  double mass = 0;
  for (std::size_t n = 0; n < ids.size(); ++n) {
    mass += heated.of[static_cast<std::size_t>(ids[n])];
    if (mass >= sampling.p * heated.sum) return n + 1;
  }
  return ids.size();
}

}  // namespace

void set_sampling(Sampling& sampling, std::string_view text) {
  if (text == "greedy") {
    sampling.kind = Sampling::Kind::greedy;
  } else if (text.starts_with(kTopK)) {
    sampling.k = parse_whole("sample", text.substr(kTopK.size()), 1, std::numeric_limits<std::int64_t>::max());
    sampling.kind = Sampling::Kind::top_k;
  } else if (text.starts_with(kTopP)) {
    const double p = parse_finite("sample", text.substr(kTopP.size()), kSampleWords);
    if (!(p > 0 && p <= 1)) refuse_value("sample", text, "a share of the probability", kSampleWords);
    sampling.p = p;
    sampling.kind = Sampling::Kind::top_p;
  } else {
    refuse_value("sample", text, "a way to choose a token", kSampleWords);
  }
}

void set_temperature(Sampling& sampling, std::string_view text) {
  constexpr const char* kExpected = "a finite number above 0 (1 changes nothing; --sample greedy is the limit at 0)";
  const double temperature = parse_finite("temperature", text, kExpected);
  if (!(temperature > 0)) refuse_value("temperature", text, "above 0", kExpected);
  sampling.temperature = temperature;
}

std::string sampling_text(const Sampling& sampling) {
  switch (sampling.kind) {
    case Sampling::Kind::greedy:
      break;
    case Sampling::Kind::top_k:
      return fmt::format("{}{}", kTopK, sampling.k);
    case Sampling::Kind::top_p:
      return fmt::format("{}{}", kTopP, double_text(sampling.p));
  }
  return "greedy";
}

double drawn_number(std::uint64_t seed, std::uint64_t step) {
  std::uint64_t x = seed + (step + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

bool can_sample(std::span<const float> logits) {
  const auto spoils = [](float logit) { return std::isnan(logit) || logit == std::numeric_limits<float>::infinity(); };
  const auto finite = [](float logit) { return std::isfinite(logit); };
  return std::none_of(logits.begin(), logits.end(), spoils) && std::any_of(logits.begin(), logits.end(), finite);
}

SampledToken sampled_token(std::span<const float> logits, const Sampling& sampling, double drawn, std::int64_t top_n) {
  HEADSCOPE_ASSERT(can_sample(logits), fmt::format("{} logits", logits.size()));
  const auto count = static_cast<std::int64_t>(logits.size());
  std::int64_t sorted = std::clamp<std::int64_t>(top_n, 1, count);
  if (sampling.kind == Sampling::Kind::top_k) sorted = std::max(sorted, std::min(sampling.k, count));
  if (sampling.kind == Sampling::Kind::top_p) sorted = count;
  const Ids ids = ordered_ids(logits, static_cast<std::size_t>(sorted));

  const Exponentials plain = exponentials_of(logits, 1);
  const Exponentials heated = sampling.temperature == 1 ? plain : exponentials_of(logits, sampling.temperature);
  const std::size_t kept = kept_count(sampling, ids, heated);
  const auto weight = [&](std::size_t n) { return heated.of[static_cast<std::size_t>(ids[n])]; };
  double mass = 0;
  for (std::size_t n = 0; n < kept; ++n) mass += weight(n);
  const auto chance_of = [&](std::size_t n) {
    return TokenChance{ids[n], plain.of[static_cast<std::size_t>(ids[n])] / plain.sum, n < kept ? weight(n) / mass : 0};
  };

  SampledToken result;
  result.kept = static_cast<std::int64_t>(kept);
  std::size_t chosen = 0;
  for (double sum = weight(0); chosen + 1 < kept && !(sum > drawn * mass); sum += weight(chosen)) ++chosen;
  result.token = chance_of(chosen);
  const auto shown = static_cast<std::size_t>(std::clamp<std::int64_t>(top_n, 0, count));
  for (std::size_t n = 0; n < shown; ++n) result.top.push_back(chance_of(n));
  return result;
}

}  // namespace headscope

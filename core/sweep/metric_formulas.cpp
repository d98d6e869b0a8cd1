#include "core/sweep/metric_formulas.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/attention/logit_rows.h"

namespace headscope {
namespace {

using Logits = std::span<const float>;
using Reference = std::vector<double>;

double at(Logits logits, std::int64_t id) {
  return static_cast<double>(logits[static_cast<std::size_t>(id)]);
}

// The number of tokens of a metric that are added, or taken away, and their sign.
struct Side {
  double sign = 1, count = 1;
};

Side side_of(const SweepMetric& metric, std::size_t k) {
  const bool added = k < metric.added;
  return {added ? 1.0 : -1.0, static_cast<double>(added ? metric.added : metric.ids.size() - metric.added)};
}

double logit_value(const SweepMetric& metric, Logits logits, const Reference&) {
  double sums[2] = {0, 0};
  for (std::size_t k = 0; k < metric.ids.size(); ++k) sums[k < metric.added ? 0 : 1] += at(logits, metric.ids[k]);
  const auto less = static_cast<double>(metric.ids.size() - metric.added);
  return sums[0] / static_cast<double>(metric.added) - (less > 0 ? sums[1] / less : 0.0);
}

// Where a token is taken from itself, both slopes count.
void logit_slope(const SweepMetric& metric, Logits, const Reference&, std::span<double> out) {
  for (std::size_t k = 0; k < metric.ids.size(); ++k) {
    const Side side = side_of(metric, k);
    out[static_cast<std::size_t>(metric.ids[k])] += side.sign / side.count;
  }
}

// d p_A / d z_k = p_A (delta_Ak - p_k)
void probability_slope(const SweepMetric& metric, Logits logits, const Reference&, std::span<double> out) {
  const std::vector<double> p = log_softmax(logits);
  double whole = 0;
  for (std::size_t k = 0; k < metric.ids.size(); ++k) {
    const auto id = static_cast<std::size_t>(metric.ids[k]);
    const double part = side_of(metric, k).sign * std::exp(p[id]);
    out[id] += part;
    whole += part;
  }
  for (std::size_t k = 0; k < out.size(); ++k) out[k] -= whole * std::exp(p[k]);
}

double rank_value(const SweepMetric& metric, Logits logits, const Reference&) {
  const double own = at(logits, metric.ids[0]);
  if (std::isnan(own)) return own;
  double above = 0;
  for (const float logit : logits) {
    if (std::isnan(logit)) return std::numeric_limits<double>::quiet_NaN();
    above += static_cast<double>(logit) > own ? 1.0 : 0.0;
  }
  return above;
}

// sum p (ln p - ln q); NaN where one of both holds one.
double divergence(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double share = std::exp(p[k]);
    if (share > 0) sum += share * (p[k] - q[k]);
    if (std::isnan(p[k])) return p[k];
    if (std::isnan(q[k])) return q[k];
  }
  return sum;
}

double divergence_from(const SweepMetric&, Logits logits, const Reference& reference) {
  return divergence(log_softmax(logits), reference);
}

double divergence_to(const SweepMetric&, Logits logits, const Reference& reference) {
  return divergence(reference, log_softmax(logits));
}

// p_k (ln p_k - ln q_k - kl)
void slope_from(const SweepMetric&, Logits logits, const Reference& reference, std::span<double> out) {
  const std::vector<double> p = log_softmax(logits);
  const double mean = divergence(p, reference);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double share = std::exp(p[k]);
    if (share > 0) out[k] += share * (p[k] - reference[k] - mean);
  }
}

// q_k - p_k, where p is the reference
void slope_to(const SweepMetric&, Logits logits, const Reference& reference, std::span<double> out) {
  const std::vector<double> q = log_softmax(logits);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += std::exp(q[k]) - std::exp(reference[k]);
}

constexpr MetricFormula kFormulas[] = {{MetricKind::logit, logit_value, logit_slope},
                                       {MetricKind::probability, nullptr, probability_slope},
                                       {MetricKind::rank, rank_value, nullptr},
                                       {MetricKind::kl, divergence_from, slope_from},
                                       {MetricKind::kl_patched, divergence_from, slope_from},
                                       {MetricKind::kl_clean, divergence_to, slope_to}};

}  // namespace

const MetricFormula* metric_formula(MetricKind kind) {
  for (const MetricFormula& formula : kFormulas) {
    if (formula.kind == kind) return &formula;
  }
  return nullptr;
}

}  // namespace headscope

#include "core/heads/head_metric_kind.h"

#include <string>

#include "core/base/assert.h"

namespace headscope {
namespace {

struct MetricText {
  HeadMetric metric;
  std::string_view key, name, formula;
  bool share;
};

constexpr std::array<MetricText, kHeadMetrics> kTexts = {{
    {HeadMetric::entropy, "entropy", "entropy, bits",
     "Mean over all rows of -sum_j w[i, j] log2 w[i, j], in bits; 0 when every query looks at one key. The share that "
     "a "
     "learned sink takes is one term more.",
     false},
    {HeadMetric::mean_distance, "mean_distance", "mean distance",
     "Mean over the rows that see two keys or more of sum_j w[i, j] |i - j|, in tokens. Beside a learned sink "
     "divided by sum_j w[i, j].",
     false},
    {HeadMetric::previous_token, "previous_token", "previous token",
     "Mean of w[i, i-1] over the rows i >= 1 that see two keys or more (a learned sink counts as one).", true},
    {HeadMetric::next_token, "next_token", "next token",
     "Mean of w[i, i+1] over the rows that have a next token and see two keys or more (a learned sink counts as one).",
     true},
    {HeadMetric::self, "self", "self",
     "Mean of w[i, i] over the rows that see two keys or more (a learned sink counts as one).", true},
    {HeadMetric::first_token, "first_token", "first token",
     "Share of the first token: mean of w[i, 0] over the rows i >= 1 that see two keys or more (a learned sink counts "
     "as one).",
     true},
    {HeadMetric::special_tokens, "special_tokens", "special tokens",
     "Share of the special tokens: mean over the rows that see two keys or more (a learned sink counts as one) of the "
     "weight on [CLS], "
     "[SEP], <s> and the like, and on the class token and registers of an image.",
     true},
    {HeadMetric::induction, "induction", "induction",
     "Mean of sum_p w[i, p+1] over all earlier places p < i-1 of the token of row i; rows whose token is new are left "
     "out (prefix matching, Olsson et al. 2022).",
     true},
    {HeadMetric::local, "local", "weight within 2 tokens",
     "Mean over the rows that see eight keys or more of the weight on keys at most 2 positions away.", true},
    {HeadMetric::uniform, "uniform", "uniform",
     "Mean of row entropy / log2(visible keys) over the rows that see four keys or more; 1 when all weights are equal. "
     "A "
     "learned sink counts as a key.",
     true},
}};

const MetricText& text_of(HeadMetric metric) {
  const MetricText& text = kTexts.at(static_cast<std::size_t>(metric));
  HEADSCOPE_ASSERT(text.metric == metric, "metric " + std::to_string(static_cast<int>(metric)));
  return text;
}

}  // namespace

const std::array<HeadMetric, kHeadMetrics>& all_head_metrics() {
  static const std::array<HeadMetric, kHeadMetrics> all = [] {
    std::array<HeadMetric, kHeadMetrics> metrics{};
    for (std::size_t k = 0; k < kHeadMetrics; ++k) metrics[k] = kTexts[k].metric;
    return metrics;
  }();
  return all;
}

std::string_view metric_key(HeadMetric metric) {
  return text_of(metric).key;
}

std::optional<HeadMetric> metric_of_key(std::string_view key) {
  for (const MetricText& text : kTexts) {
    if (text.key == key) return text.metric;
  }
  return std::nullopt;
}

std::string_view metric_name(HeadMetric metric) {
  return text_of(metric).name;
}

std::string_view metric_formula(HeadMetric metric) {
  return text_of(metric).formula;
}

bool is_share(HeadMetric metric) {
  return text_of(metric).share;
}

}  // namespace headscope

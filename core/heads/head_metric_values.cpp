#include "core/heads/head_metric_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <unordered_map>

#include "core/tensor/row_strips.h"
#include "core/tensor/row_summary.h"

namespace headscope {
namespace {

constexpr std::int64_t kLocalReach = 2;
constexpr std::int64_t kUniformKeys = 4;  // rows with fewer visible keys say nothing about uniform
constexpr std::int64_t kLocalKeys = 8;    // nor about local: 5 of 8 keys are near
constexpr std::int64_t kRowsBetweenChecks = 256;

struct Mean {
  double sum = 0;
  std::int64_t rows = 0;
  void add(double value) {
    sum += value;
    ++rows;
  }
};

// sum_j w[j] |i - j|, in four sums so that additions do not wait for each other.
double distance_of(std::span<const float> w, std::int64_t i) {
  const auto len = static_cast<std::int64_t>(w.size());
  std::array<double, 4> sums{};
  const auto term = [&](std::int64_t j) {
    return static_cast<double>(w[static_cast<std::size_t>(j)]) * static_cast<double>(std::abs(i - j));
  };
  std::int64_t j = 0;
  for (; j + 4 <= len; j += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane) sums[static_cast<std::size_t>(lane)] += term(j + lane);
  }
  for (; j < len; ++j) sums[0] += term(j);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class Sums {
 public:
  explicit Sums(const TokenPlaces& places) : places_(places) {}

  void add(std::int64_t i, std::span<const float> w, std::int64_t visible_keys) {
    const RowSummary all = summary_of_row(w);
    if (all.has_nan) return;
    mean(HeadMetric::entropy).add(all.entropy_bits);
    if (visible_keys < 2) return;
    const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
    if (places_.positions_agree()) add_positions(i, w, visible_keys);
    if (!places_.positions_agree() || i >= 1) mean(HeadMetric::first_token).add(at(0));
    if (!places_.special_keys().empty()) {
      double special = 0;
      for (const std::int64_t j : places_.special_keys()) special += at(j);
      mean(HeadMetric::special_tokens).add(special);
    }
    if (visible_keys >= kUniformKeys) {
      mean(HeadMetric::uniform).add(all.entropy_bits / std::log2(static_cast<double>(visible_keys)));
    }
    if (all.largest > arc_weight_) {
      arc_weight_ = all.largest;
      arc_query_ = i;
      arc_key_ = std::find(w.begin(), w.end(), all.largest) - w.begin();
    }
  }

  HeadMetrics metrics() const {
    HeadMetrics result;
    for (const HeadMetric metric : all_head_metrics()) {
      const Mean& mean = means_[static_cast<std::size_t>(metric)];
      if (mean.rows > 0) result[metric] = {mean.sum / static_cast<double>(mean.rows), mean.rows};
    }
    result.arc_query = arc_query_;
    result.arc_key = arc_key_;
    result.arc_weight = arc_weight_;
    return result;
  }

 private:
  Mean& mean(HeadMetric metric) { return means_[static_cast<std::size_t>(metric)]; }

  void add_positions(std::int64_t i, std::span<const float> w, std::int64_t visible_keys) {
    const std::int64_t len = places_.token_len();
    const auto at = [&](std::int64_t j) { return static_cast<double>(w[static_cast<std::size_t>(j)]); };
    if (i >= 1) mean(HeadMetric::previous_token).add(at(i - 1));
    if (i + 1 < len) mean(HeadMetric::next_token).add(at(i + 1));
    mean(HeadMetric::self).add(at(i));
    // The key of bias_k lies behind the tokens and has no place among them.
    mean(HeadMetric::mean_distance).add(distance_of(w.first(static_cast<std::size_t>(len)), i));
    const std::vector<std::int64_t> places = places_.after_earlier(i);
    if (!places.empty()) {
      double matched = 0;
      for (const std::int64_t j : places) matched += at(j);
      mean(HeadMetric::induction).add(matched);
    }
    if (visible_keys >= kLocalKeys) {
      double near = 0;
      const std::int64_t end = std::min(len - 1, i + kLocalReach);
      for (std::int64_t j = std::max<std::int64_t>(0, i - kLocalReach); j <= end; ++j) near += at(j);
      mean(HeadMetric::local).add(near);
    }
  }

  const TokenPlaces& places_;
  std::array<Mean, kHeadMetrics> means_;
  std::int64_t arc_query_ = -1, arc_key_ = -1;
  double arc_weight_ = 0;
};

}  // namespace

TokenPlaces::TokenPlaces(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  positions_agree_ = inputs.query_len == inputs.key_len && !is_cross_attention(trace.request);
  token_len_ = inputs.key_len;
  if (!positions_agree_) return;
  for (std::size_t j = 0; j < inputs.words.size(); ++j) {
    if (inputs.words[j] < 0) special_keys_.push_back(static_cast<std::int64_t>(j));
  }
  // The vocabulary's id where there is one, since two ids may look the same.
  if (inputs.token_ids.size() == inputs.tokens.size()) {
    find_repeats(inputs.token_ids);
  } else {
    find_repeats(inputs.tokens);
  }
}

template <typename Token>
void TokenPlaces::find_repeats(const std::vector<Token>& tokens) {
  std::unordered_map<Token, std::size_t> known;
  for (const Token& token : tokens) {
    const auto [found, is_new] = known.emplace(token, positions_.size());
    if (is_new) positions_.emplace_back();
    positions_[found->second].push_back(static_cast<std::int64_t>(token_of_.size()));
    token_of_.push_back(found->second);
  }
}

std::vector<std::int64_t> TokenPlaces::after_earlier(std::int64_t i) const {
  std::vector<std::int64_t> after;
  if (static_cast<std::size_t>(i) >= token_of_.size()) return after;
  for (const std::int64_t p : positions_[token_of_[static_cast<std::size_t>(i)]]) {
    if (p >= i - 1) break;
    after.push_back(p + 1);
  }
  return after;
}

HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places,
                         const CancelToken& cancel) {
  const Tensor matrix = matrix_at(trace.tensor(StageId::weights), batch, head);
  Sums sums(places);
  for_each_row(matrix, [&](const Index&, std::int64_t i, std::span<const float> weights) {
    if (i % kRowsBetweenChecks == 0) cancel.check();
    sums.add(i, weights, trace.mask->hidden.visible_count(batch, head, i));
  });
  return sums.metrics();
}

HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head) {
  return head_metrics(trace, batch, head, TokenPlaces(trace));
}

}  // namespace headscope

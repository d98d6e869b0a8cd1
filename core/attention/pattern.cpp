#include "core/attention/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/assert.h"
#include "core/tensor/row_strips.h"
#include "core/tensor/row_summary.h"

namespace headscope {
namespace {

constexpr double kTokenThreshold = 0.5;     // mean weight from which a token pattern is named
constexpr double kUniformThreshold = 0.97;  // share of the highest possible entropy
constexpr double kLocalThreshold = 0.75;    // mean weight within kLocalReach
constexpr std::int64_t kLocalReach = 2;
constexpr std::int64_t kUniformKeys = 4;  // rows with fewer visible keys say nothing about uniform
constexpr std::int64_t kLocalKeys = 8;    // nor about local: 5 of 8 keys are near
constexpr std::int64_t kPatternRows = 2;  // one row is no pattern

// The mean of what was added.
struct Mean {
  double sum = 0;
  std::int64_t rows = 0;
  void add(double value) {
    sum += value;
    ++rows;
  }
  double value() const { return sum / static_cast<double>(rows); }
};

// One row of weights and what of it may be seen.
struct Row {
  std::int64_t query = 0;
  const float* weights = nullptr;
  std::int64_t key_len = 0;
  std::int64_t visible_keys = 0;
};

// What the rows of one head add up to; rows with one visible key are left out of everything but the entropy, since
// their softmax is 1 whatever the head does.
struct Sums {
  Mean entropy, previous_token, next_token, self, first_token, uniform, local;
  std::int64_t link_query = -1, link_key = -1;
  double link_weight = 0;

  void add(const Row& row, bool positions_agree, std::int64_t token_len) {
    const RowSummary all = summary_of_row({row.weights, static_cast<std::size_t>(row.key_len)});
    if (all.has_nan) return;
    const double bits = all.entropy_bits;
    entropy.add(bits);
    if (row.visible_keys < 2) return;
    const std::int64_t i = row.query;
    const float* w = row.weights;
    if (positions_agree) {
      if (i >= 1) previous_token.add(w[i - 1]);
      if (i + 1 < token_len) next_token.add(w[i + 1]);
      self.add(w[i]);
      if (row.visible_keys >= kLocalKeys) {
        double near = 0;
        for (std::int64_t j = std::max<std::int64_t>(0, i - kLocalReach); j <= std::min(token_len - 1, i + kLocalReach);
             ++j) {
          near += w[j];
        }
        local.add(near);
      }
    }
    if (!positions_agree || i >= 1) first_token.add(w[0]);
    if (row.visible_keys >= kUniformKeys) uniform.add(bits / std::log2(static_cast<double>(row.visible_keys)));
    if (all.largest > link_weight) {
      link_weight = all.largest;
      link_query = i;
      link_key = std::find(w, w + row.key_len, all.largest) - w;
    }
  }
};

}  // namespace

const char* pattern_name(PatternKind kind) {
  switch (kind) {
    case PatternKind::previous_token:
      return "previous token";
    case PatternKind::next_token:
      return "next token";
    case PatternKind::self:
      return "self";
    case PatternKind::first_token:
      return "first token";
    case PatternKind::uniform:
      return "uniform";
    case PatternKind::local:
      return "local";
    case PatternKind::strongest_link:
      return "strongest link";
    case PatternKind::none:
      return "none";
  }
  HEADSCOPE_ASSERT(false, "pattern " + std::to_string(static_cast<int>(kind)));
  return "";
}

const char* pattern_formula(PatternKind kind) {
  switch (kind) {
    case PatternKind::previous_token:
      return "Mean of w[i, i-1] over the rows i >= 1 that see two keys or more; named from .50.";
    case PatternKind::next_token:
      return "Mean of w[i, i+1] over the rows that have a next token and see two keys or more; named from .50.";
    case PatternKind::self:
      return "Mean of w[i, i] over the rows that see two keys or more; named from .50.";
    case PatternKind::first_token:
      return "Mean of w[i, 0] over the rows i >= 1 that see two keys or more; named from .50.";
    case PatternKind::uniform:
      return "Mean of row entropy / log2(visible keys) over the rows that see four keys or more; named from .97.";
    case PatternKind::local:
      return "Mean over the rows that see eight keys or more of the weight on keys at most 2 positions away; named "
             "from .75.";
    case PatternKind::strongest_link:
      return "No pattern was found: the largest weight of any row that sees two keys or more.";
    case PatternKind::none:
      return "No row sees two keys or more, or every such row is NaN.";
  }
  HEADSCOPE_ASSERT(false, "pattern " + std::to_string(static_cast<int>(kind)));
  return "";
}

HeadSummary summarize_head(const Trace& trace, std::int64_t batch, std::int64_t head) {
  const Tensor matrix = matrix_at(trace.tensor(StageId::weights), batch, head);
  const std::int64_t key_len = matrix.dim(1);
  const Inputs& inputs = *trace.inputs;
  const bool positions_agree = inputs.query_len == inputs.key_len && !is_cross_attention(trace.request);

  Sums sums;
  for_each_row(matrix, [&](const Index&, std::int64_t i, std::span<const float> values) {
    const std::int64_t visible = trace.mask->hidden.visible_count(batch, head, i);
    sums.add({i, values.data(), key_len, visible}, positions_agree, inputs.key_len);
  });

  HeadSummary summary;
  summary.entropy_bits = sums.entropy.rows > 0 ? sums.entropy.value() : std::numeric_limits<double>::quiet_NaN();
  summary.query = sums.link_query;
  summary.key = sums.link_key;
  summary.link_weight = sums.link_weight;
  const auto consider = [&](PatternKind kind, const Mean& mean, double threshold) {
    if (mean.rows < kPatternRows || !(mean.value() >= threshold) || !(mean.value() > summary.score)) return;
    summary.pattern = kind;
    summary.score = mean.value();
  };
  consider(PatternKind::previous_token, sums.previous_token, kTokenThreshold);
  consider(PatternKind::next_token, sums.next_token, kTokenThreshold);
  consider(PatternKind::self, sums.self, kTokenThreshold);
  consider(PatternKind::first_token, sums.first_token, kTokenThreshold);
  if (summary.pattern == PatternKind::none) consider(PatternKind::uniform, sums.uniform, kUniformThreshold);
  if (summary.pattern == PatternKind::none) consider(PatternKind::local, sums.local, kLocalThreshold);
  if (summary.pattern == PatternKind::none && summary.query >= 0) {
    summary.pattern = PatternKind::strongest_link;
    summary.score = summary.link_weight;
  }
  return summary;
}

std::string summary_label(const HeadSummary& summary, const Trace& trace) {
  std::string score = fmt::format("{:.2f}", summary.score);
  if (score.starts_with("0.")) score.erase(0, 1);
  switch (summary.pattern) {
    case PatternKind::none:
      if (std::isnan(summary.entropy_bits)) return "every row is NaN";
      return trace.fully_masked_rows == trace.tensor(StageId::weights).size() / trace.key_len() ? "every row is hidden"
                                                                                                : "one visible key";
    case PatternKind::strongest_link:
      return fmt::format("{} → {} {}", trace.query_labels().at(static_cast<std::size_t>(summary.query)),
                         trace.key_labels().at(static_cast<std::size_t>(summary.key)), score);
    default:
      return fmt::format("{} {}", pattern_name(summary.pattern), score);
  }
}

}  // namespace headscope

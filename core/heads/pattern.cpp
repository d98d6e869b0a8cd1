#include "core/heads/pattern.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/assert.h"
#include "core/text/visual_order.h"

namespace headscope {
namespace {

constexpr double kTokenThreshold = 0.5;     // mean weight from which a token pattern is named
constexpr double kUniformThreshold = 0.97;  // share of the highest possible entropy
constexpr double kLocalThreshold = 0.75;    // mean weight at most 2 positions away
constexpr std::int64_t kPatternRows = 2;    // one row is no pattern

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
    case PatternKind::strongest_arc:
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
      return "Mean of w[i, i-1] over the rows i >= 1 that see two keys or more (a learned sink counts as one); named "
             "from .50.";
    case PatternKind::next_token:
      return "Mean of w[i, i+1] over the rows that have a next token and see two keys or more (a learned sink counts "
             "as one); named from .50.";
    case PatternKind::self:
      return "Mean of w[i, i] over the rows that see two keys or more (a learned sink counts as one); named from .50.";
    case PatternKind::first_token:
      return "Mean of w[i, 0] over the rows i >= 1 that see two keys or more (a learned sink counts as one); named "
             "from .50.";
    case PatternKind::uniform:
      return "Mean of row entropy / log2(visible keys, a learned sink counted) over the rows that see four keys or "
             "more; named from .97.";
    case PatternKind::local:
      return "Mean over the rows that see eight keys or more of the weight on keys at most 2 positions away; named "
             "from .75.";
    case PatternKind::strongest_arc:
      return "No pattern was found: the largest weight of any row that sees two keys or more (a learned sink counts as "
             "one).";
    case PatternKind::none:
      return "No row sees two keys or more (a learned sink counts as one), or every such row is NaN.";
  }
  HEADSCOPE_ASSERT(false, "pattern " + std::to_string(static_cast<int>(kind)));
  return "";
}

HeadSummary summarize_head(const Trace& trace, std::int64_t batch, std::int64_t head, const CancelToken& cancel) {
  return summary_of(head_metrics(trace, batch, head, TokenPlaces(trace), cancel));
}

HeadSummary summary_of(const HeadMetrics& metrics) {
  HeadSummary summary;
  summary.entropy_bits = metrics[HeadMetric::entropy].value;
  summary.query = metrics.arc_query;
  summary.key = metrics.arc_key;
  summary.arc_weight = metrics.arc_weight;
  const auto consider = [&](PatternKind kind, HeadMetric metric, double threshold) {
    const auto [value, rows] = metrics[metric];
    if (rows < kPatternRows || !(value >= threshold) || !(value > summary.score)) return;
    summary.pattern = kind;
    summary.score = value;
  };
  consider(PatternKind::previous_token, HeadMetric::previous_token, kTokenThreshold);
  consider(PatternKind::next_token, HeadMetric::next_token, kTokenThreshold);
  consider(PatternKind::self, HeadMetric::self, kTokenThreshold);
  consider(PatternKind::first_token, HeadMetric::first_token, kTokenThreshold);
  if (summary.pattern == PatternKind::none) consider(PatternKind::uniform, HeadMetric::uniform, kUniformThreshold);
  if (summary.pattern == PatternKind::none) consider(PatternKind::local, HeadMetric::local, kLocalThreshold);
  if (summary.pattern == PatternKind::none && summary.query >= 0) {
    summary.pattern = PatternKind::strongest_arc;
    summary.score = summary.arc_weight;
  }
  return summary;
}

namespace {

// As Trace::key_labels() has it, without a copy of all.
std::string key_name(const Trace& trace, std::size_t key) {
  const std::vector<std::string>& names = trace.inputs->key_tokens;
  return key < names.size() ? names[key] : trace.key_labels().at(key);
}

}  // namespace

std::vector<LabelPiece> summary_pieces(const HeadSummary& summary, const Trace& trace) {
  using Role = LabelPiece::Role;
  std::string score = fmt::format("{:.2f}", summary.score);
  if (score.starts_with("0.")) score.erase(0, 1);
  switch (summary.pattern) {
    case PatternKind::none: {
      const std::int64_t rows = trace.tensor(StageId::weights).size() / trace.key_len();
      if (std::isnan(summary.entropy_bits)) return {{Role::words, "every row is NaN"}};
      return {{Role::words, trace.fully_masked_rows == rows ? "every row is hidden" : "one visible key"}};
    }
    case PatternKind::strongest_arc:
      return {{Role::query, trace.inputs->tokens.at(static_cast<std::size_t>(summary.query))},
              {Role::words, "→"},
              {Role::key, key_name(trace, static_cast<std::size_t>(summary.key))},
              {Role::score, score}};
    default:
      return {{Role::words, pattern_name(summary.pattern)}, {Role::score, score}};
  }
}

std::string summary_label(const HeadSummary& summary, const Trace& trace) {
  std::string label;
  for (const LabelPiece& piece : summary_pieces(summary, trace)) {
    if (!label.empty()) label += ' ';
    label += isolated(piece.text);
  }
  return label;
}

}  // namespace headscope

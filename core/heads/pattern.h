// A head in one word and one number: the pattern of its weights and its score, with the entropy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/heads/head_metric_values.h"

namespace headscope {

enum class PatternKind { previous_token, next_token, self, first_token, uniform, local, strongest_arc, none };

// "previous token", ... as shown above a thumbnail.
const char* pattern_name(PatternKind kind);
// One sentence with the formula, for the tooltip.
const char* pattern_formula(PatternKind kind);

struct HeadSummary {
  double entropy_bits = 0;  // HeadMetric::entropy; NaN rows left out; NaN when none is left
  PatternKind pattern = PatternKind::none;
  double score = 0;                   // mean weight of the pattern (uniform: mean entropy / log2 of the visible keys)
  std::int64_t query = -1, key = -1;  // the largest weight, of rows that have a choice; -1: none
  double arc_weight = 0;
};

// From `weights` of one batch and head. Formulas: core/README.md, 'Patterns'.
HeadSummary summarize_head(const Trace& trace, std::int64_t batch, std::int64_t head, const CancelToken& cancel = {});
// The same from metrics that are computed already.
HeadSummary summary_of(const HeadMetrics& metrics);

// A piece of a head's label. Pieces that name a query or a key are single tokens.
struct LabelPiece {
  enum class Role { words, query, key, score } role = Role::words;
  std::string text;
};
// "previous token", ".87"; "it", "→", "animal", ".90": name and score as on screen, with a space between two pieces.
std::vector<LabelPiece> summary_pieces(const HeadSummary& summary, const Trace& trace);
// The pieces in one line, in which each token runs in its own direction.
std::string summary_label(const HeadSummary& summary, const Trace& trace);

}  // namespace headscope

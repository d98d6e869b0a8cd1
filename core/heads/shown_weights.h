// Results whose weights are those that a request shows: what pictures, exports and metrics read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/heads/token_groups.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Whether the weights of this result are shown otherwise than they were computed.
bool shows_otherwise(const Trace& trace);

// The stages that the view concerns: weights and dropped_weights. All others stay as they were computed.
bool is_shown_stage(StageId stage);

// A stage [batch, head, rows, columns] as the request shows it, by the formulas of shown_rows.h; computed when read.
// n[j] is the Euclidean length |value[b, g, j, :]| of key j, where g is the key and value head of h: the value as it is
// multiplied by weights, before W_O. Throws UsageError for value norms of a capture without values, and when no column
// is left.
Tensor shown_weights(const Trace& trace, StageId stage);

// The stage weights times the value norms, or as it is: what is shown before tokens are merged and hidden. Throws as
// shown_weights().
Tensor weighted_weights(const Trace& trace, Weighting weighting);

// This result with its shown stages alone (and what learned sinks take of their rows: the mean over the queries of a
// row; none where rows are divided by their sums, or weights multiplied by value norms), and with tokens, words, sizes
// and mask of their rows and columns; of a model all layers, as the request of this one says. A cell is hidden when all
// cells that it is made of are. Throws UsageError as shown_weights(), and when the mask of merged or hidden tokens
// would take more than 1 GiB.
Trace shown_trace(const Trace& trace, HiddenColumns hidden = HiddenColumns::removed);

// The same of one layer, as `view` says.
Trace shown_layer(const Trace& layer, const Showing& view, HiddenColumns hidden);

// All stages of this result, those that are shown otherwise as they are shown; their rows and columns have names of
// their own.
struct TraceToExport {
  Trace trace;
  std::shared_ptr<const TokenGroups> groups;  // of the shown stages; null: they are as computed
  // The names of a stage's rows and columns, as row_names_of() and column_names_of().
  std::vector<std::string> row_names(StageId stage) const;
  std::vector<std::string> column_names(StageId stage) const;
};
TraceToExport trace_to_export(const Trace& trace);

// The result that a reader of weights gets: shown_trace(), or the one given, which must outlive this, where nothing is
// shown otherwise or `hidden` is nullopt.
class AsShown {
 public:
  explicit AsShown(const Trace& trace, std::optional<HiddenColumns> hidden = HiddenColumns::removed);
  const Trace& trace() const { return *trace_; }

 private:
  std::shared_ptr<const Trace> trace_;
};

}  // namespace headscope

// What the view over all layers and heads of a model asks, and the numbers that answer it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/heads/aggregate_values.h"
#include "core/heads/head_metric_values.h"
#include "core/heads/token_groups.h"

namespace headscope {

struct PredictionResult;  // app/session/background/models/predictions.h

// The most pixels along a side of a head's small picture; larger matrices are pooled (Pooling::max).
constexpr std::int64_t kThumbnailPixels = 64;
// The most interventions of which the effect of each alone is computed.
constexpr std::size_t kMostAlone = 256;

struct HeadResult {
  HeadMetrics metrics;
  Tensor picture;                    // its weights, at most kThumbnailPixels a side
  std::shared_ptr<const Mask> mask;  // its hidden pixels; null: none
};

struct LayerResult {
  std::vector<HeadResult> heads;
  double mean_entropy = 0;  // over heads, in bits; NaN when no head has one
  double largest = 0;       // the largest finite value in the pictures
};

struct ModelQuery {
  std::shared_ptr<const Trace> trace;  // with a model
  std::int64_t batch = 0;
  Showing tokens{};    // how weights are shown
  bool norms = false;  // pictures of |w (v Wo)| instead of w
  std::optional<Aggregate> aggregate{};
  std::int64_t layer = 0, head = 0;  // the picked head, whose whole matrix is computed
  std::int64_t position = -1;        // position of the predictions; -1: predicted_position()
  std::size_t alone = 0;  // for this many of the active interventions, the first ones, the effect of each alone is
                          // computed
  friend bool operator==(const ModelQuery&, const ModelQuery&) = default;
  bool shows_weights() const { return !norms && !tokens.changes_something(); }
};

// The parts of the answer that are known. Parts are shared and immutable.
struct ModelResult {
  struct MatrixResult {
    Tensor matrix;                     // [query, key] of `groups`
    std::shared_ptr<const Mask> mask;  // its hidden cells at (0, 0); null: none
  };
  struct AggregateResult {
    Aggregate aggregate{};
    Tensor matrix;                     // [query, key], tokens hidden and merged as the query says
    std::shared_ptr<const Mask> mask;  // its hidden cells at (0, 0); null: none
    std::string failure;               // why there is none
  };
  // The effect of one of several active interventions when it is the only one.
  struct AloneResult {
    std::string term;                   // of the intervention
    std::optional<double> probability;  // of the token that is most probable without interventions; nullopt: not known
    std::string failure;                // why there is none
  };
  std::vector<std::shared_ptr<const LayerResult>> layers;  // null: not known yet, or not computed
  std::shared_ptr<const TokenGroups> groups;               // rows and columns of the shown matrices
  std::shared_ptr<const AggregateResult> aggregate;        // null: not known yet, or not in the query
  // The picked head's norms, or weights with tokens hidden and merged; null: the view shows its plain weights, or not
  // known yet.
  std::shared_ptr<const MatrixResult> picked;
  std::shared_ptr<const Trace> baseline;  // the same request without interventions; null: not known yet
  std::string failure;                    // why there is no baseline; else ""
  // Of the trace, and of the baseline (the same object without interventions); null: not known yet, or the model has no
  // output head.
  std::shared_ptr<const PredictionResult> predictions, baseline_predictions;
  std::vector<AloneResult> alone;  // those that are known; empty when only one intervention is active

  // The result of the intervention with this term; null while it is not known.
  const AloneResult* alone_of(const std::string& term) const;
};

}  // namespace headscope

// What the view over all layers and heads shows of a model: metrics and small pictures of every head, aggregates, and
// the same request without interventions, and with one of them alone. Computed by a worker; the newest query wins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/compute_queue.h"
#include "app/session/background/executor.h"
#include "core/attention/model_trace.h"
#include "core/heads/aggregate_values.h"
#include "core/heads/head_metric_values.h"
#include "core/heads/token_groups.h"

namespace headscope {

struct PredictionResult;  // app/session/background/predictions.h

// Pixels of a head's small picture; what is larger is pooled to at most this, by the largest cell.
constexpr std::int64_t kThumbnailPixels = 64;
// Of how many interventions is known what each does alone.
constexpr std::size_t kMostAlone = 256;

struct HeadResult {
  HeadMetrics metrics;
  Tensor picture;                    // its weights, at most kThumbnailPixels a side
  std::shared_ptr<const Mask> mask;  // its hidden pixels; null: none
};

struct LayerResult {
  std::vector<HeadResult> heads;
  double mean_entropy = 0;  // over heads, in bits; NaN when no head has one
  double largest = 0;       // finite value in the pictures
};

struct ModelQuery {
  std::shared_ptr<const Trace> trace;  // with a model
  std::int64_t batch = 0;
  TokenView tokens{};
  bool norms = false;  // pictures of |w (v Wo)| instead of w
  std::optional<Aggregate> aggregate{};
  std::int64_t layer = 0, head = 0;  // whose whole matrix is wished for
  std::int64_t position = -1;        // where predictions are wished for; -1: predicted_position()
  std::size_t alone = 0;  // of how many active interventions, the first, one wants to know what each does alone
  bool shows_weights() const { return !norms && !tokens.changes_something(); }
};

// What is there of a query. Parts are shared, and never change once made.
struct ModelResult {
  struct MatrixResult {
    Tensor matrix;                     // [query, key] of `groups`
    std::shared_ptr<const Mask> mask;  // its hidden cells at (0, 0); null: none
  };
  struct AggregateResult {
    Aggregate aggregate{};
    Tensor matrix;        // [query, key], tokens hidden and merged as wished
    std::string failure;  // why there is none
  };
  // What one of several active interventions does when it is the only one.
  struct AloneResult {
    std::string term;                   // of the intervention
    std::optional<double> probability;  // of the token that is most probable without any; nothing: not known
    std::string failure;                // why there is none
  };
  std::vector<std::shared_ptr<const LayerResult>> layers;  // null: not known yet, or not computed
  std::shared_ptr<const TokenGroups> groups;               // rows and columns of what is shown
  std::shared_ptr<const AggregateResult> aggregate;        // null: not known yet, or not wished
  // The picked head's norms, or weights with tokens hidden and merged; null: its weights as they are, or not known yet.
  std::shared_ptr<const MatrixResult> picked;
  std::shared_ptr<const Trace> baseline;  // the same request without interventions; null: not known yet
  std::string failure;                    // why the baseline is not there
  // Of the trace, and of the baseline (the same where nothing intervenes); null: not known yet, or no model to ask.
  std::shared_ptr<const PredictionResult> predictions, baseline_predictions;
  std::vector<AloneResult> alone;  // those that are known; none while only one is active

  // Null while it is not known.
  const AloneResult* alone_of(const std::string& term) const;
};

class ModelNumbers {
 public:
  // One worker on `executor`; `wake` is called by it when there is something new. `compute` runs the baseline.
  ModelNumbers(std::unique_ptr<Executor> executor, Compute compute, EngineOptions engine, std::function<void()> wake);
  // Cancels what runs and waits for it.
  ~ModelNumbers();
  ModelNumbers(const ModelNumbers&) = delete;
  ModelNumbers& operator=(const ModelNumbers&) = delete;

  // Asked in every frame that shows it. Replaces the query before; what both have in common is kept.
  ModelResult want(const ModelQuery& query);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope

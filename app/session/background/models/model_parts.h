// The parts of the answer about a model that are known, and which part is computed next. Without threads: ModelNumbers
// locks it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/models/model_result.h"
#include "core/attention/trace.h"
#include "core/heads/token_groups.h"
#include "core/request/intervention_list.h"

namespace headscope {

// Whose effect alone is asked about: of which request, and on the probability of which token.
struct AloneQuestion {
  Request without;  // the request without interventions
  std::int64_t batch = 0, position = 0, token = 0;
  friend bool operator==(const AloneQuestion&, const AloneQuestion&) = default;
};

// One part of the answer to a query.
struct ModelTask {
  enum class Kind { picked, layer, aggregate, prediction, baseline, alone };
  Kind kind = Kind::picked;
  ModelQuery query;
  std::int64_t layer = -1;             // of a layer
  std::shared_ptr<const Trace> trace;  // of a prediction
  std::int64_t position = 0;           // of a prediction
  std::optional<Intervention> one;     // that is alone
  AloneQuestion asked;                 // likewise
};

class ModelParts {
 public:
  // Replaces the query. True when it differs from the last one.
  bool ask(const ModelQuery& query);
  // The part to compute next; nullopt: everything is known, or nothing was asked.
  std::optional<ModelTask> next() const;
  // What is known of the answer to a query.
  ModelResult result(const ModelQuery& query) const;

  // What was computed for the task.
  void keep_layer(const ModelTask& task, std::shared_ptr<const LayerResult> result);
  void keep_picked(const ModelTask& task, std::shared_ptr<const ModelResult::MatrixResult> result);
  void keep_aggregate(const ModelTask& task, std::shared_ptr<const ModelResult::AggregateResult> result);
  void keep_prediction(const ModelTask& task, std::shared_ptr<const PredictionResult> result);
  // `trace` is null when `failure` says why there is none.
  void keep_baseline(const ModelTask& task, std::shared_ptr<const Trace> trace, std::string failure);
  void keep_alone(const ModelTask& task, ModelResult::AloneResult result);

 private:
  struct LayerPart {
    std::weak_ptr<const Trace> trace;  // old results are not kept for their numbers
    std::int64_t batch = 0;
    Showing tokens;
    bool norms = false;
    std::shared_ptr<const LayerResult> result;
    bool fits(const std::shared_ptr<const Trace>& other, const ModelQuery& wanted) const {
      return result != nullptr && trace.lock() == other && batch == wanted.batch && tokens == wanted.tokens &&
             norms == wanted.norms;
    }
  };
  struct PickedPart {
    ModelQuery query;
    std::shared_ptr<const ModelResult::MatrixResult> result;
    bool fits(const ModelQuery& other) const {
      return result != nullptr && query.trace == other.trace && query.batch == other.batch &&
             query.tokens == other.tokens && query.norms == other.norms && query.layer == other.layer &&
             query.head == other.head;
    }
  };
  struct AggregatePart {
    std::weak_ptr<const ModelTrace> model;
    std::int64_t batch = 0;
    Showing tokens;
    std::shared_ptr<const ModelResult::AggregateResult> result;
    bool fits(const ModelQuery& wanted) const {
      return result != nullptr && wanted.aggregate == result->aggregate && model.lock() == wanted.trace->model &&
             batch == wanted.batch && tokens == wanted.tokens;
    }
  };
  struct PredictionPart {
    std::weak_ptr<const Trace> trace;
    std::int64_t batch = 0, position = 0;
    std::shared_ptr<const PredictionResult> result;
    bool fits(const std::shared_ptr<const Trace>& other, std::int64_t of_batch, std::int64_t at) const {
      return result != nullptr && trace.lock() == other && batch == of_batch && position == at;
    }
  };
  struct BaselinePart {
    Request request;  // without interventions, active or not
    std::shared_ptr<const Trace> trace;
    std::string failure;
  };
  struct AlonePart {
    AloneQuestion of;
    std::vector<ModelResult::AloneResult> results;  // the last ones, oldest first
    bool knows(const std::string& term) const {
      return std::any_of(results.begin(), results.end(), [&](const auto& result) { return result.term == term; });
    }
  };

  std::optional<BaselinePart> baseline_of(const ModelQuery& wanted) const;
  bool picked_known(const ModelQuery& wanted) const;
  bool aggregate_known(const ModelQuery& wanted) const { return !wanted.aggregate || aggregate_.fits(wanted); }
  std::int64_t first_unknown_layer(const ModelQuery& wanted) const;
  // Of which trace a prediction is missing: the shown one first, then the baseline. Null: none.
  std::shared_ptr<const Trace> unpredicted(const ModelQuery& wanted) const;
  std::shared_ptr<const PredictionResult> prediction_of(const std::shared_ptr<const Trace>& trace,
                                                        const ModelQuery& wanted) const;
  // What an intervention alone does is asked about; nothing while that cannot be answered, or one alone is all there
  // is.
  std::optional<AloneQuestion> asked_alone(const ModelQuery& wanted) const;
  std::optional<Intervention> unknown_alone(const ModelQuery& wanted) const;

  std::optional<ModelQuery> query_;
  std::shared_ptr<const TokenGroups> groups_;  // of the query
  std::vector<LayerPart> layers_;
  AggregatePart aggregate_;
  PickedPart picked_;
  std::optional<BaselinePart> baseline_;
  std::vector<PredictionPart> predicted_;  // the last few, oldest first
  AlonePart alone_;
};

// The trace of the picked layer; null when it is not computed.
const Trace* picked_trace(const ModelQuery& query);

}  // namespace headscope

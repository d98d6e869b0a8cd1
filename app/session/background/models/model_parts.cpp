#include "app/session/background/models/model_parts.h"

#include <utility>

#include "app/session/background/models/predictions.h"
#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

constexpr std::size_t kPredictionsKept = 4;

std::int64_t position_of(const ModelQuery& wanted) {
  const bool inside = wanted.position >= 0 && wanted.position < wanted.trace->query_len();
  return inside ? wanted.position : predicted_position(*wanted.trace->model);
}

}  // namespace

const Trace* picked_trace(const ModelQuery& query) {
  const auto& traces = query.trace->model->layers;
  const bool there = query.layer >= 0 && query.layer < static_cast<std::int64_t>(traces.size());
  return there ? traces[static_cast<std::size_t>(query.layer)].get() : nullptr;
}

bool ModelParts::ask(const ModelQuery& query) {
  if (query_ == query) return false;
  // A result without interventions is the baseline of those that follow.
  if (query_ && !any_acts(query_->trace->request)) {
    baseline_ = BaselinePart{without_interventions(query_->trace->request), query_->trace, ""};
  }
  query_ = query;
  groups_ = std::make_shared<const TokenGroups>(token_groups(query.tokens, *query.trace));
  return true;
}

std::optional<ModelTask> ModelParts::next() const {
  using Kind = ModelTask::Kind;
  if (!query_) return std::nullopt;
  ModelTask task;
  task.query = *query_;
  const auto of = [&task](Kind kind) {
    task.kind = kind;
    return task;
  };
  if (!picked_known(task.query)) return of(Kind::picked);
  task.layer = first_unknown_layer(task.query);
  if (task.layer >= 0) return of(Kind::layer);
  if (!aggregate_known(task.query)) return of(Kind::aggregate);
  task.trace = unpredicted(task.query);
  const bool has_baseline = baseline_of(task.query).has_value();
  if (task.trace != nullptr && (task.trace == task.query.trace || has_baseline)) {
    task.position = position_of(task.query);
    return of(Kind::prediction);
  }
  // What a run that goes on gives next may be the answer to another request.
  if (!has_baseline)
    return has_more_to_come(*task.query.trace->model) ? std::nullopt : std::optional(of(Kind::baseline));
  task.one = unknown_alone(task.query);
  if (!task.one) return std::nullopt;
  task.asked = *asked_alone(task.query);
  return of(Kind::alone);
}

ModelResult ModelParts::result(const ModelQuery& query) const {
  ModelResult result;
  result.groups = groups_;
  const auto& traces = query.trace->model->layers;
  result.layers.resize(traces.size());
  for (std::size_t l = 0; l < traces.size() && l < layers_.size(); ++l) {
    if (traces[l] && layers_[l].fits(traces[l], query)) result.layers[l] = layers_[l].result;
  }
  if (picked_.fits(query)) result.picked = picked_.result;
  if (query.aggregate && aggregate_.fits(query)) result.aggregate = aggregate_.result;
  result.predictions = prediction_of(query.trace, query);
  if (const auto known = baseline_of(query)) {
    result.baseline = known->trace;
    result.baseline_predictions = prediction_of(known->trace, query);
    result.failure = known->failure;
  }
  const auto asked = asked_alone(query);
  if (asked && alone_.of == *asked) result.alone = alone_.results;
  return result;
}

std::optional<ModelParts::BaselinePart> ModelParts::baseline_of(const ModelQuery& wanted) const {
  const Request without = without_interventions(wanted.trace->request);
  if (!any_acts(wanted.trace->request)) return BaselinePart{without, wanted.trace, ""};
  if (baseline_ && baseline_->request == without) return baseline_;
  return std::nullopt;
}

bool ModelParts::picked_known(const ModelQuery& wanted) const {
  return wanted.shows_weights() || picked_.fits(wanted) || picked_trace(wanted) == nullptr;
}

std::int64_t ModelParts::first_unknown_layer(const ModelQuery& wanted) const {
  const auto& traces = wanted.trace->model->layers;
  for (std::size_t l = 0; l < traces.size(); ++l) {
    if (traces[l] && (l >= layers_.size() || !layers_[l].fits(traces[l], wanted))) return static_cast<std::int64_t>(l);
  }
  return -1;
}

std::shared_ptr<const Trace> ModelParts::unpredicted(const ModelQuery& wanted) const {
  if (!has_predictions(*wanted.trace->model)) return nullptr;
  const auto unknown = [&](const std::shared_ptr<const Trace>& trace) {
    return trace && !prediction_of(trace, wanted);
  };
  if (unknown(wanted.trace)) return wanted.trace;
  const auto known = baseline_of(wanted);
  return known && unknown(known->trace) ? known->trace : nullptr;
}

std::shared_ptr<const PredictionResult> ModelParts::prediction_of(const std::shared_ptr<const Trace>& trace,
                                                                  const ModelQuery& wanted) const {
  for (const PredictionPart& part : predicted_) {
    if (part.fits(trace, wanted.batch, position_of(wanted))) return part.result;
  }
  return nullptr;
}

std::optional<AloneQuestion> ModelParts::asked_alone(const ModelQuery& wanted) const {
  if (wanted.alone == 0 || !has_predictions(*wanted.trace->model)) return std::nullopt;
  const auto known = baseline_of(wanted);
  const auto result = known && known->trace ? prediction_of(known->trace, wanted) : nullptr;
  if (result == nullptr || result->tokens.empty()) return std::nullopt;
  return AloneQuestion{known->request, wanted.batch, position_of(wanted), result->tokens.front().id};
}

std::optional<Intervention> ModelParts::unknown_alone(const ModelQuery& wanted) const {
  const std::optional<AloneQuestion> asked = asked_alone(wanted);
  if (!asked) return std::nullopt;
  const std::vector<Intervention> active = active_interventions(wanted.trace->request, true);
  if (active.size() < 2) return std::nullopt;
  const std::size_t count = std::min({active.size(), wanted.alone, kMostAlone});
  for (std::size_t k = 0; k < count; ++k) {
    if (!(alone_.of == *asked) || !alone_.knows(active[k].term)) return active[k];
  }
  return std::nullopt;
}

void ModelParts::keep_layer(const ModelTask& task, std::shared_ptr<const LayerResult> result) {
  const ModelQuery& query = task.query;
  const auto& traces = query.trace->model->layers;
  const auto l = static_cast<std::size_t>(task.layer);
  layers_.resize(traces.size());
  layers_[l] = {traces[l], query.batch, query.tokens, query.norms, std::move(result)};
}

void ModelParts::keep_picked(const ModelTask& task, std::shared_ptr<const ModelResult::MatrixResult> result) {
  picked_ = {task.query, std::move(result)};
}

void ModelParts::keep_aggregate(const ModelTask& task, std::shared_ptr<const ModelResult::AggregateResult> result) {
  aggregate_ = {task.query.trace->model, task.query.batch, task.query.tokens, std::move(result)};
}

void ModelParts::keep_prediction(const ModelTask& task, std::shared_ptr<const PredictionResult> result) {
  predicted_.push_back({task.trace, task.query.batch, task.position, std::move(result)});
  if (predicted_.size() > kPredictionsKept) predicted_.erase(predicted_.begin());
}

void ModelParts::keep_baseline(const ModelTask& task, std::shared_ptr<const Trace> trace, std::string failure) {
  baseline_ = BaselinePart{without_interventions(task.query.trace->request), std::move(trace), std::move(failure)};
}

void ModelParts::keep_alone(const ModelTask& task, ModelResult::AloneResult result) {
  if (!(alone_.of == task.asked)) alone_ = {task.asked, {}};
  alone_.results.push_back(std::move(result));
  if (alone_.results.size() > kMostAlone) alone_.results.erase(alone_.results.begin());
}

}  // namespace headscope

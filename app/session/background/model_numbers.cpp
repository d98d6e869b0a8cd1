#include "app/session/background/model_numbers.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "app/session/background/grouped_mask.h"
#include "app/session/background/head_thumbnails.h"
#include "app/session/background/predictions.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/picture/figure.h"
#include "core/request/intervention_kinds.h"
#include "core/request/intervention_list.h"

namespace headscope {
namespace {

constexpr std::size_t kPredictionsKept = 4;

}  // namespace

const ModelResult::AloneResult* ModelResult::alone_of(const std::string& term) const {
  const auto found =
      std::find_if(alone.begin(), alone.end(), [&](const AloneResult& result) { return result.term == term; });
  return found == alone.end() ? nullptr : &*found;
}

struct ModelNumbers::Impl {
  struct LayerPart {
    std::weak_ptr<const Trace> trace;  // old results are not kept for their numbers
    std::int64_t batch = 0;
    TokenView tokens;
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
    TokenView tokens;
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
    Request without;  // the request without interventions
    std::int64_t batch = 0, position = 0, token = 0;
    std::vector<ModelResult::AloneResult> results;  // the last ones, oldest first
    bool fits(const AlonePart& other) const {
      return without == other.without && batch == other.batch && position == other.position && token == other.token;
    }
    bool knows(const std::string& term) const {
      return std::any_of(results.begin(), results.end(), [&](const auto& result) { return result.term == term; });
    }
  };

  Impl(std::unique_ptr<Executor> on, Compute compute_by, EngineOptions engine_options, std::function<void()> wake_by)
      : compute(std::move(compute_by)),
        engine(std::move(engine_options)),
        wake(std::move(wake_by)),
        executor(std::move(on)) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      query.reset();
      token.cancel();
    }
    executor.reset();
  }

  // ---- with mutex held
  std::optional<BaselinePart> baseline_of(const ModelQuery& wanted) const {
    const Request without = without_interventions(wanted.trace->request);
    if (!any_acts(wanted.trace->request)) return BaselinePart{without, wanted.trace, ""};
    if (baseline && baseline->request == without) return baseline;
    return std::nullopt;
  }
  const Trace* picked_trace(const ModelQuery& wanted) const {
    const auto& traces = wanted.trace->model->layers;
    const bool there = wanted.layer >= 0 && wanted.layer < static_cast<std::int64_t>(traces.size());
    return there ? traces[static_cast<std::size_t>(wanted.layer)].get() : nullptr;
  }
  bool picked_known(const ModelQuery& wanted) const {
    return wanted.shows_weights() || picked.fits(wanted) || picked_trace(wanted) == nullptr;
  }
  bool aggregate_known(const ModelQuery& wanted) const { return !wanted.aggregate || aggregate.fits(wanted); }
  std::int64_t first_unknown_layer(const ModelQuery& wanted) const {
    const auto& traces = wanted.trace->model->layers;
    for (std::size_t l = 0; l < traces.size(); ++l) {
      if (traces[l] && (l >= layers.size() || !layers[l].fits(traces[l], wanted))) return static_cast<std::int64_t>(l);
    }
    return -1;
  }
  // Of which trace a prediction is missing: the shown one first, then the baseline. Null: none.
  std::shared_ptr<const Trace> unpredicted(const ModelQuery& wanted) const {
    if (!has_predictions(*wanted.trace->model)) return nullptr;
    const auto unknown = [&](const std::shared_ptr<const Trace>& trace) {
      return trace && !prediction_of(trace, wanted);
    };
    if (unknown(wanted.trace)) return wanted.trace;
    const auto known = baseline_of(wanted);
    return known && unknown(known->trace) ? known->trace : nullptr;
  }
  std::shared_ptr<const PredictionResult> prediction_of(const std::shared_ptr<const Trace>& trace,
                                                        const ModelQuery& wanted) const {
    for (const PredictionPart& part : predicted) {
      if (part.fits(trace, wanted.batch, position_of(wanted))) return part.result;
    }
    return nullptr;
  }
  // What an intervention alone does is asked about; nothing while that cannot be answered, or one alone is all there
  // is.
  std::optional<AlonePart> asked_alone(const ModelQuery& wanted) const {
    if (wanted.alone == 0 || !has_predictions(*wanted.trace->model)) return std::nullopt;
    const auto known = baseline_of(wanted);
    const auto result = known && known->trace ? prediction_of(known->trace, wanted) : nullptr;
    if (result == nullptr || result->tokens.empty()) return std::nullopt;
    return AlonePart{known->request, wanted.batch, position_of(wanted), result->tokens.front().id, {}};
  }
  std::optional<Intervention> unknown_alone(const ModelQuery& wanted) const {
    const std::optional<AlonePart> asked = asked_alone(wanted);
    if (!asked) return std::nullopt;
    const std::vector<Intervention> active = active_interventions(wanted.trace->request, true);
    if (active.size() < 2) return std::nullopt;
    const std::size_t count = std::min({active.size(), wanted.alone, kMostAlone});
    for (std::size_t k = 0; k < count; ++k) {
      if (!alone.fits(*asked) || !alone.knows(active[k].term)) return active[k];
    }
    return std::nullopt;
  }
  static std::int64_t position_of(const ModelQuery& wanted) {
    const bool inside = wanted.position >= 0 && wanted.position < wanted.trace->query_len();
    return inside ? wanted.position : predicted_position(*wanted.trace->model);
  }
  bool unfinished(const ModelQuery& wanted) const {
    return !picked_known(wanted) || first_unknown_layer(wanted) >= 0 || !aggregate_known(wanted) ||
           !baseline_of(wanted) || unpredicted(wanted) != nullptr || unknown_alone(wanted);
  }

  void work() {
    while (true) {
      ModelQuery task;
      CancelToken cancel;
      std::int64_t layer = -1;
      bool wants_aggregate = false, wants_picked = false, wants_baseline = false;
      std::shared_ptr<const Trace> to_predict;
      std::optional<Intervention> one;
      std::optional<AlonePart> asked;
      {
        const std::lock_guard lock(mutex);
        if (!query || !unfinished(*query)) {
          running = false;
          return;
        }
        task = *query;
        token = cancel;
        layer = first_unknown_layer(task);
        wants_aggregate = !aggregate_known(task);
        wants_picked = !picked_known(task);
        wants_baseline = !baseline_of(task);
        to_predict = unpredicted(task);
        one = unknown_alone(task);
        if (one) asked = asked_alone(task);
      }
      try {
        if (wants_picked) {
          make_picked(task);
        } else if (layer >= 0) {
          make_layer(task, layer, cancel);
        } else if (wants_aggregate) {
          make_aggregate(task, cancel);
        } else if (to_predict == task.trace || (to_predict != nullptr && !wants_baseline)) {
          make_prediction(to_predict, task, cancel);
        } else if (wants_baseline) {
          make_baseline(task, cancel);
        } else {
          make_alone(task, *one, std::move(*asked), cancel);
        }
      } catch (const Cancelled&) {
        continue;
      }
      if (wake) wake();
    }
  }

  void make_layer(const ModelQuery& task, std::int64_t l, const CancelToken& cancel) {
    const std::shared_ptr<const Trace>& trace = task.trace->model->layers[static_cast<std::size_t>(l)];
    auto result = std::make_shared<const LayerResult>(layer_result(*trace, task, cancel));
    const std::lock_guard lock(mutex);
    layers.resize(task.trace->model->layers.size());
    layers[static_cast<std::size_t>(l)] = {trace, task.batch, task.tokens, task.norms, std::move(result)};
  }

  void make_picked(const ModelQuery& task) {
    const Trace& trace = *picked_trace(task);
    auto result = std::make_shared<ModelResult::MatrixResult>();
    const PyramidSource source = shown_of(trace, task, task.head, token_groups(task.tokens, trace));
    result->matrix = source.matrix;
    // One mask for the cell (0, 0), whatever head it was.
    if (source.mask && !source.matrix.empty()) {
      std::vector<std::uint8_t> hidden(static_cast<std::size_t>(source.matrix.size()));
      const std::int64_t columns = source.matrix.dim(1);
      for (std::int64_t i = 0; i < source.matrix.dim(0); ++i) {
        source.mask->hidden.read_row(
            source.batch, source.head, i,
            std::span(hidden).subspan(static_cast<std::size_t>(i * columns), static_cast<std::size_t>(columns)));
      }
      result->mask = mask_of(hidden, source.matrix.dim(0), columns);
    }
    const std::lock_guard lock(mutex);
    picked = {task, std::move(result)};
  }

  void make_aggregate(const ModelQuery& task, const CancelToken& cancel) {
    auto result = std::make_shared<ModelResult::AggregateResult>();
    result->aggregate = *task.aggregate;
    try {
      LayersOfWeights weights;
      for (const auto& trace : task.trace->model->layers) {
        if (trace == nullptr) throw UsageError("not all layers are computed yet");
        const Tensor& all = trace->tensor(StageId::weights);
        const Tensor part = all.sliced(0, task.batch, task.batch + 1);
        weights.push_back(part.reshaped({all.dim(1), all.dim(2), all.dim(3)}, {Axis::head, Axis::query, Axis::key}));
      }
      const Tensor matrix = aggregate_of(*task.aggregate, weights, cancel);
      result->matrix =
          task.tokens.changes_something() ? by_groups(matrix, token_groups(task.tokens, *task.trace)) : matrix;
    } catch (const UsageError& error) {
      result->failure = error.what();
    }
    const std::lock_guard lock(mutex);
    aggregate = {task.trace->model, task.batch, task.tokens, std::move(result)};
  }

  void make_prediction(const std::shared_ptr<const Trace>& trace, const ModelQuery& task, const CancelToken& cancel) {
    const std::int64_t position = position_of(task);
    PredictionPart part{trace, task.batch, position, nullptr};
    part.result = std::make_shared<const PredictionResult>(predict(*trace->model, task.batch, position, cancel));
    const std::lock_guard lock(mutex);
    predicted.push_back(std::move(part));
    if (predicted.size() > kPredictionsKept) predicted.erase(predicted.begin());
  }

  void make_baseline(const ModelQuery& task, const CancelToken& cancel) {
    BaselinePart part{without_interventions(task.trace->request), nullptr, ""};
    try {
      part.trace = compute(part.request, engine, cancel, {});
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      part.failure = error.what();
    }
    const std::lock_guard lock(mutex);
    baseline = std::move(part);
  }

  void make_alone(const ModelQuery& task, const Intervention& one, AlonePart asked, const CancelToken& cancel) {
    ModelResult::AloneResult result{one.term, std::nullopt, ""};
    try {
      const auto trace = compute(with_only(task.trace->request, one), engine, cancel, {});
      const std::vector<std::int64_t> tokens = {asked.token};
      result.probability =
          probabilities_of(*trace->model, asked.batch, asked.position, tokens, *make_cpu_backend(0), cancel).front();
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      result.failure = error.what();
    }
    const std::lock_guard lock(mutex);
    if (!alone.fits(asked)) alone = std::move(asked);
    alone.results.push_back(std::move(result));
    if (alone.results.size() > kMostAlone) alone.results.erase(alone.results.begin());
  }

  const Compute compute;
  Engine engine;  // touched by work() only
  const std::function<void()> wake;
  mutable std::mutex mutex;
  std::optional<ModelQuery> query;
  std::shared_ptr<const TokenGroups> groups;  // of the query
  std::vector<LayerPart> layers;
  AggregatePart aggregate;
  PickedPart picked;
  std::optional<BaselinePart> baseline;
  std::vector<PredictionPart> predicted;  // the last few, oldest first
  AlonePart alone;
  bool running = false;
  CancelToken token;
  std::unique_ptr<Executor> executor;  // last: it ends before what its work uses
};

ModelNumbers::ModelNumbers(std::unique_ptr<Executor> executor, Compute compute, EngineOptions engine,
                           std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(compute), std::move(engine), std::move(wake))) {}

ModelNumbers::~ModelNumbers() = default;

ModelResult ModelNumbers::want(const ModelQuery& query) {
  Impl& impl = *impl_;
  bool start = false;
  {
    const std::lock_guard lock(impl.mutex);
    const bool same = impl.query && impl.query->trace == query.trace && impl.query->batch == query.batch &&
                      impl.query->tokens == query.tokens && impl.query->aggregate == query.aggregate &&
                      impl.query->norms == query.norms && impl.query->layer == query.layer &&
                      impl.query->head == query.head && impl.query->position == query.position &&
                      impl.query->alone == query.alone;
    if (!same) {
      // A result without interventions is the baseline of those that follow.
      if (impl.query && !any_acts(impl.query->trace->request)) {
        impl.baseline = Impl::BaselinePart{without_interventions(impl.query->trace->request), impl.query->trace, ""};
      }
      if (impl.running) impl.token.cancel();
      impl.query = query;
      impl.groups = std::make_shared<const TokenGroups>(token_groups(query.tokens, *query.trace));
    }
    if (!impl.running && impl.unfinished(query)) impl.running = start = true;
  }
  if (start) impl.executor->run([&impl] { impl.work(); });

  ModelResult result;
  const std::lock_guard lock(impl.mutex);
  result.groups = impl.groups;
  const auto& traces = query.trace->model->layers;
  result.layers.resize(traces.size());
  for (std::size_t l = 0; l < traces.size() && l < impl.layers.size(); ++l) {
    if (traces[l] && impl.layers[l].fits(traces[l], query)) result.layers[l] = impl.layers[l].result;
  }
  if (impl.picked.fits(query)) result.picked = impl.picked.result;
  if (query.aggregate && impl.aggregate.fits(query)) result.aggregate = impl.aggregate.result;
  result.predictions = impl.prediction_of(query.trace, query);
  if (const auto known = impl.baseline_of(query)) {
    result.baseline = known->trace;
    result.baseline_predictions = impl.prediction_of(known->trace, query);
    result.failure = known->failure;
  }
  const auto asked = impl.asked_alone(query);
  if (asked && impl.alone.fits(*asked)) result.alone = impl.alone.results;
  return result;
}

bool ModelNumbers::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->running;
}

}  // namespace headscope

#include "app/session/background/model_numbers.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "app/session/background/grouped_mask.h"
#include "app/session/background/head_thumbnails.h"
#include "app/session/background/predictions.h"
#include "core/attention/interventions.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/picture/figure.h"
#include "core/request/intervention_list.h"

namespace headscope {
namespace {

constexpr std::size_t kPredictionsKept = 4;

// Whether an intervention takes part; those that are switched off do not.
bool changes_something(const Request& request) {
  return !request.ablate.empty() || intervenes(request);
}

}  // namespace

const ModelLook::AloneLook* ModelLook::alone_of(const std::string& term) const {
  const auto found = std::find_if(alone.begin(), alone.end(), [&](const AloneLook& look) { return look.term == term; });
  return found == alone.end() ? nullptr : &*found;
}

struct ModelNumbers::Impl {
  struct LayerPart {
    std::weak_ptr<const Trace> trace;  // old results are not kept for their numbers
    std::int64_t batch = 0;
    TokenView tokens;
    bool norms = false;
    std::shared_ptr<const LayerLook> look;
    bool fits(const std::shared_ptr<const Trace>& other, const ModelWish& wanted) const {
      return look && trace.lock() == other && batch == wanted.batch && tokens == wanted.tokens && norms == wanted.norms;
    }
  };
  struct PickedPart {
    ModelWish wish;
    std::shared_ptr<const ModelLook::MatrixLook> look;
    bool fits(const ModelWish& other) const {
      return look && wish.trace == other.trace && wish.batch == other.batch && wish.tokens == other.tokens &&
             wish.norms == other.norms && wish.layer == other.layer && wish.head == other.head;
    }
  };
  struct AggregatePart {
    std::weak_ptr<const ModelTrace> model;
    std::int64_t batch = 0;
    TokenView tokens;
    std::shared_ptr<const ModelLook::AggregateLook> look;
    bool fits(const ModelWish& wanted) const {
      return look && wanted.aggregate == look->aggregate && model.lock() == wanted.trace->model &&
             batch == wanted.batch && tokens == wanted.tokens;
    }
  };
  struct PredictionPart {
    std::weak_ptr<const Trace> trace;
    std::int64_t batch = 0, position = 0;
    std::shared_ptr<const PredictionLook> look;
    bool fits(const std::shared_ptr<const Trace>& other, std::int64_t of_batch, std::int64_t at) const {
      return look && trace.lock() == other && batch == of_batch && position == at;
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
    std::vector<ModelLook::AloneLook> looks;  // the last ones, oldest first
    bool fits(const AlonePart& other) const {
      return without == other.without && batch == other.batch && position == other.position && token == other.token;
    }
    bool knows(const std::string& term) const {
      return std::any_of(looks.begin(), looks.end(), [&](const auto& look) { return look.term == term; });
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
      wish.reset();
      token.cancel();
    }
    executor.reset();
  }

  // ---- with mutex held
  std::optional<BaselinePart> baseline_of(const ModelWish& wanted) const {
    const Request without = without_interventions(wanted.trace->request);
    if (!changes_something(wanted.trace->request)) return BaselinePart{without, wanted.trace, ""};
    if (baseline && baseline->request == without) return baseline;
    return std::nullopt;
  }
  const Trace* picked_trace(const ModelWish& wanted) const {
    const auto& traces = wanted.trace->model->layers;
    const bool there = wanted.layer >= 0 && wanted.layer < static_cast<std::int64_t>(traces.size());
    return there ? traces[static_cast<std::size_t>(wanted.layer)].get() : nullptr;
  }
  bool picked_known(const ModelWish& wanted) const {
    return wanted.shows_weights() || picked.fits(wanted) || picked_trace(wanted) == nullptr;
  }
  bool aggregate_known(const ModelWish& wanted) const { return !wanted.aggregate || aggregate.fits(wanted); }
  std::int64_t first_unknown_layer(const ModelWish& wanted) const {
    const auto& traces = wanted.trace->model->layers;
    for (std::size_t l = 0; l < traces.size(); ++l) {
      if (traces[l] && (l >= layers.size() || !layers[l].fits(traces[l], wanted))) return static_cast<std::int64_t>(l);
    }
    return -1;
  }
  // Of which trace a prediction is missing: the shown one first, then the baseline. Null: none.
  std::shared_ptr<const Trace> unpredicted(const ModelWish& wanted) const {
    if (!has_predictions(*wanted.trace->model)) return nullptr;
    const auto unknown = [&](const std::shared_ptr<const Trace>& trace) {
      return trace && !prediction_of(trace, wanted);
    };
    if (unknown(wanted.trace)) return wanted.trace;
    const auto known = baseline_of(wanted);
    return known && unknown(known->trace) ? known->trace : nullptr;
  }
  std::shared_ptr<const PredictionLook> prediction_of(const std::shared_ptr<const Trace>& trace,
                                                      const ModelWish& wanted) const {
    for (const PredictionPart& part : predicted) {
      if (part.fits(trace, wanted.batch, position_of(wanted))) return part.look;
    }
    return nullptr;
  }
  // What an intervention alone does is asked about; nothing while that cannot be answered, or one alone is all there
  // is.
  std::optional<AlonePart> asked_alone(const ModelWish& wanted) const {
    if (wanted.alone == 0 || !has_predictions(*wanted.trace->model)) return std::nullopt;
    const auto known = baseline_of(wanted);
    const auto look = known && known->trace ? prediction_of(known->trace, wanted) : nullptr;
    if (look == nullptr || look->tokens.empty()) return std::nullopt;
    return AlonePart{known->request, wanted.batch, position_of(wanted), look->tokens.front().id, {}};
  }
  std::optional<Intervention> unknown_alone(const ModelWish& wanted) const {
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
  static std::int64_t position_of(const ModelWish& wanted) {
    const bool inside = wanted.position >= 0 && wanted.position < wanted.trace->query_len();
    return inside ? wanted.position : predicted_position(*wanted.trace->model);
  }
  bool unfinished(const ModelWish& wanted) const {
    return !picked_known(wanted) || first_unknown_layer(wanted) >= 0 || !aggregate_known(wanted) ||
           !baseline_of(wanted) || unpredicted(wanted) != nullptr || unknown_alone(wanted);
  }

  void work() {
    while (true) {
      ModelWish task;
      CancelToken cancel;
      std::int64_t layer = -1;
      bool wants_aggregate = false, wants_picked = false, wants_baseline = false;
      std::shared_ptr<const Trace> to_predict;
      std::optional<Intervention> one;
      std::optional<AlonePart> asked;
      {
        const std::lock_guard lock(mutex);
        if (!wish || !unfinished(*wish)) {
          running = false;
          return;
        }
        task = *wish;
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

  void make_layer(const ModelWish& task, std::int64_t l, const CancelToken& cancel) {
    const std::shared_ptr<const Trace>& trace = task.trace->model->layers[static_cast<std::size_t>(l)];
    auto look = std::make_shared<const LayerLook>(layer_look(*trace, task, cancel));
    const std::lock_guard lock(mutex);
    layers.resize(task.trace->model->layers.size());
    layers[static_cast<std::size_t>(l)] = {trace, task.batch, task.tokens, task.norms, std::move(look)};
  }

  void make_picked(const ModelWish& task) {
    const Trace& trace = *picked_trace(task);
    auto look = std::make_shared<ModelLook::MatrixLook>();
    const PyramidSource source = shown_of(trace, task, task.head, token_groups(task.tokens, trace));
    look->matrix = source.matrix;
    // One mask for the cell (0, 0), whatever head it was.
    if (source.mask && !source.matrix.empty()) {
      std::vector<std::uint8_t> hidden(static_cast<std::size_t>(source.matrix.size()));
      const std::int64_t columns = source.matrix.dim(1);
      for (std::int64_t i = 0; i < source.matrix.dim(0); ++i) {
        source.mask->hidden.read_row(
            source.batch, source.head, i,
            std::span(hidden).subspan(static_cast<std::size_t>(i * columns), static_cast<std::size_t>(columns)));
      }
      look->mask = mask_of(hidden, source.matrix.dim(0), columns);
    }
    const std::lock_guard lock(mutex);
    picked = {task, std::move(look)};
  }

  void make_aggregate(const ModelWish& task, const CancelToken& cancel) {
    auto look = std::make_shared<ModelLook::AggregateLook>();
    look->aggregate = *task.aggregate;
    try {
      LayersOfWeights weights;
      for (const auto& trace : task.trace->model->layers) {
        if (trace == nullptr) throw UsageError("not all layers are computed yet");
        const Tensor& all = trace->tensor(StageId::weights);
        const Tensor part = all.sliced(0, task.batch, task.batch + 1);
        weights.push_back(part.reshaped({all.dim(1), all.dim(2), all.dim(3)}, {Axis::head, Axis::query, Axis::key}));
      }
      const Tensor matrix = aggregate_of(*task.aggregate, weights, cancel);
      look->matrix =
          task.tokens.changes_something() ? by_groups(matrix, token_groups(task.tokens, *task.trace)) : matrix;
    } catch (const UsageError& error) {
      look->failure = error.what();
    }
    const std::lock_guard lock(mutex);
    aggregate = {task.trace->model, task.batch, task.tokens, std::move(look)};
  }

  void make_prediction(const std::shared_ptr<const Trace>& trace, const ModelWish& task, const CancelToken& cancel) {
    const std::int64_t position = position_of(task);
    PredictionPart part{trace, task.batch, position, nullptr};
    part.look = std::make_shared<const PredictionLook>(predict(*trace->model, task.batch, position, cancel));
    const std::lock_guard lock(mutex);
    predicted.push_back(std::move(part));
    if (predicted.size() > kPredictionsKept) predicted.erase(predicted.begin());
  }

  void make_baseline(const ModelWish& task, const CancelToken& cancel) {
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

  void make_alone(const ModelWish& task, const Intervention& one, AlonePart asked, const CancelToken& cancel) {
    ModelLook::AloneLook look{one.term, std::nullopt, ""};
    try {
      const auto trace = compute(with_only(task.trace->request, one), engine, cancel, {});
      const std::vector<std::int64_t> tokens = {asked.token};
      look.probability =
          probabilities_of(*trace->model, asked.batch, asked.position, tokens, *make_cpu_backend(0), cancel).front();
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      look.failure = error.what();
    }
    const std::lock_guard lock(mutex);
    if (!alone.fits(asked)) alone = std::move(asked);
    alone.looks.push_back(std::move(look));
    if (alone.looks.size() > kMostAlone) alone.looks.erase(alone.looks.begin());
  }

  const Compute compute;
  Engine engine;  // touched by work() only
  const std::function<void()> wake;
  mutable std::mutex mutex;
  std::optional<ModelWish> wish;
  std::shared_ptr<const TokenGroups> groups;  // of the wish
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

ModelLook ModelNumbers::want(const ModelWish& wish) {
  Impl& impl = *impl_;
  bool start = false;
  {
    const std::lock_guard lock(impl.mutex);
    const bool same = impl.wish && impl.wish->trace == wish.trace && impl.wish->batch == wish.batch &&
                      impl.wish->tokens == wish.tokens && impl.wish->aggregate == wish.aggregate &&
                      impl.wish->norms == wish.norms && impl.wish->layer == wish.layer &&
                      impl.wish->head == wish.head && impl.wish->position == wish.position &&
                      impl.wish->alone == wish.alone;
    if (!same) {
      // A result without interventions is the baseline of those that follow.
      if (impl.wish && !changes_something(impl.wish->trace->request)) {
        impl.baseline = Impl::BaselinePart{without_interventions(impl.wish->trace->request), impl.wish->trace, ""};
      }
      if (impl.running) impl.token.cancel();
      impl.wish = wish;
      impl.groups = std::make_shared<const TokenGroups>(token_groups(wish.tokens, *wish.trace));
    }
    if (!impl.running && impl.unfinished(wish)) impl.running = start = true;
  }
  if (start) impl.executor->run([&impl] { impl.work(); });

  ModelLook look;
  const std::lock_guard lock(impl.mutex);
  look.groups = impl.groups;
  const auto& traces = wish.trace->model->layers;
  look.layers.resize(traces.size());
  for (std::size_t l = 0; l < traces.size() && l < impl.layers.size(); ++l) {
    if (traces[l] && impl.layers[l].fits(traces[l], wish)) look.layers[l] = impl.layers[l].look;
  }
  if (impl.picked.fits(wish)) look.picked = impl.picked.look;
  if (wish.aggregate && impl.aggregate.fits(wish)) look.aggregate = impl.aggregate.look;
  look.predictions = impl.prediction_of(wish.trace, wish);
  if (const auto known = impl.baseline_of(wish)) {
    look.baseline = known->trace;
    look.baseline_predictions = impl.prediction_of(known->trace, wish);
    look.failure = known->failure;
  }
  const auto asked = impl.asked_alone(wish);
  if (asked && impl.alone.fits(*asked)) look.alone = impl.alone.looks;
  return look;
}

bool ModelNumbers::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->running;
}

}  // namespace headscope

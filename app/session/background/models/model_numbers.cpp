#include "app/session/background/models/model_numbers.h"

#include <span>
#include <utility>
#include <vector>

#include "app/session/background/models/head_thumbnails.h"
#include "app/session/background/models/model_parts.h"
#include "app/session/background/models/predictions.h"
#include "app/session/background/work/worker.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/heads/grouped_mask.h"
#include "core/heads/shown_aggregate.h"
#include "core/io/mapping_guard.h"
#include "core/picture/figure/figure.h"
#include "core/request/intervention_list.h"

namespace headscope {
namespace {

ModelResult::MatrixResult picked_matrix(const ModelQuery& query) {
  const Trace& trace = *picked_trace(query);
  ModelResult::MatrixResult result;
  const PyramidSource source = shown_of(trace, query, query.head, token_groups(query.tokens, trace));
  result.matrix = source.matrix;
  if (!source.mask || source.matrix.empty()) return result;
  // One mask for the cell (0, 0), whatever head it was.
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(source.matrix.size()));
  const std::int64_t columns = source.matrix.dim(1);
  for (std::int64_t i = 0; i < source.matrix.dim(0); ++i) {
    source.mask->hidden.read_row(
        source.batch, source.head, i,
        std::span(hidden).subspan(static_cast<std::size_t>(i * columns), static_cast<std::size_t>(columns)));
  }
  result.mask = mask_of(hidden, source.matrix.dim(0), columns);
  return result;
}

ModelResult::AggregateResult aggregate_result(const ModelQuery& query, const CancelToken& cancel) {
  ModelResult::AggregateResult result;
  result.aggregate = *query.aggregate;
  try {
    std::vector<const Trace*> layers;
    for (const auto& trace : query.trace->model->layers) {
      if (trace == nullptr) throw UsageError("not all layers are computed yet");
      layers.push_back(trace.get());
    }
    ShownAggregate shown = shown_aggregate(*query.aggregate, layers, query.batch, query.tokens, cancel);
    result.matrix = std::move(shown.matrix);
    result.mask = std::move(shown.mask);
  } catch (const UsageError& error) {
    result.failure = error.what();
  }
  return result;
}

}  // namespace

struct ModelNumbers::Impl {
  Impl(std::unique_ptr<Executor> executor, Compute compute_by, EngineOptions engine_options, std::function<void()> wake)
      : compute(std::move(compute_by)),
        engine(std::move(engine_options)),
        worker(std::move(executor), std::move(wake),
               {[this] { return parts.next().has_value(); }, [this] { return take(); }}) {}

  Worker::Piece take() {
    return [this, task = *parts.next()](const CancelToken& cancel) {
      make(task, cancel);  // nothing new when it is cancelled
      worker.wake();
    };
  }

  void make(const ModelTask& task, const CancelToken& cancel) {
    switch (task.kind) {
      case ModelTask::Kind::picked:
        return keep(task, &ModelParts::keep_picked,
                    std::make_shared<const ModelResult::MatrixResult>(picked_matrix(task.query)));
      case ModelTask::Kind::layer: {
        const Trace& trace = *task.query.trace->model->layers[static_cast<std::size_t>(task.layer)];
        return keep(task, &ModelParts::keep_layer,
                    std::make_shared<const LayerResult>(layer_result(trace, task.query, cancel)));
      }
      case ModelTask::Kind::aggregate:
        return keep(task, &ModelParts::keep_aggregate,
                    std::make_shared<const ModelResult::AggregateResult>(aggregate_result(task.query, cancel)));
      case ModelTask::Kind::prediction:
        return keep(task, &ModelParts::keep_prediction,
                    std::make_shared<const PredictionResult>(
                        predict(*task.trace->model, task.query.batch, task.position, cancel)));
      case ModelTask::Kind::baseline:
        return make_baseline(task, cancel);
      case ModelTask::Kind::alone:
        return keep(task, &ModelParts::keep_alone, alone_result(task, cancel));
    }
  }

  template <typename Keep, typename Result>
  void keep(const ModelTask& task, Keep keep_part, Result result) {
    const auto lock = worker.lock();
    (parts.*keep_part)(task, std::move(result));
  }

  void make_baseline(const ModelTask& task, const CancelToken& cancel) {
    std::shared_ptr<const Trace> trace;
    std::string failure;
    try {
      trace = compute(without_interventions(task.query.trace->request), engine, cancel, {});
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      failure = failure_words(error);
    }
    const auto lock = worker.lock();
    parts.keep_baseline(task, std::move(trace), std::move(failure));
  }

  ModelResult::AloneResult alone_result(const ModelTask& task, const CancelToken& cancel) {
    ModelResult::AloneResult result{task.one->term, std::nullopt, ""};
    try {
      const auto trace = compute(with_only(task.query.trace->request, *task.one), engine, cancel, {});
      const std::vector<std::int64_t> tokens = {task.asked.token};
      result.probability =
          probabilities_of(*trace->model, task.asked.batch, task.asked.position, tokens, *make_cpu_backend(0), cancel)
              .front();
      check_mapped_files();
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      result.failure = error.what();
    }
    return result;
  }

  // Touched by the pieces of work only.
  const Compute compute;
  Engine engine;
  ModelParts parts;  // behind the worker's lock
  Worker worker;     // last: it ends before what its pieces use
};

ModelNumbers::ModelNumbers(std::unique_ptr<Executor> executor, Compute compute, EngineOptions engine,
                           std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(compute), std::move(engine), std::move(wake))) {}

ModelNumbers::~ModelNumbers() = default;

ModelResult ModelNumbers::want(const ModelQuery& query) {
  {
    const auto lock = impl_->worker.lock();
    if (impl_->parts.ask(query)) impl_->worker.cancel();
  }
  impl_->worker.start();
  const auto lock = impl_->worker.lock();
  return impl_->parts.result(query);
}

bool ModelNumbers::busy() const {
  return impl_->worker.busy();
}

}  // namespace headscope

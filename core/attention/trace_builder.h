// Builds a trace stage by stage. Internal to core/attention.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "core/attention/interventions.h"
#include "core/attention/put_numbers.h"
#include "core/attention/reuse.h"
#include "core/attention/stage_buffers.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// The request's arrays, patches and edits are applied to every stage as it is added, so that stages made from the
// returned tensor follow them; score-like stages arrive with their edits applied (row_edits.h).
class TraceBuilder {
 public:
  using Clock = std::chrono::steady_clock;

  // `buffers` may be null: every stage then has memory of its own, dense.
  TraceBuilder(Trace& trace, const Reuse& reuse, StageBuffers* buffers, const CancelToken& cancel)
      : trace_(trace), reuse_(reuse), buffers_(buffers), cancel_(cancel) {}

  // Adds a stage that is computed, unless it is unchanged in the last trace.
  Tensor add(StageId id, std::string operation, const std::function<Tensor()>& compute) {
    cancel_.check();
    if (const Stage* same = reuse_.unchanged(id)) {
      trace_.stages.push_back({id, same->tensor, noted(id, std::move(operation)), false, 0.0});
      return same->tensor;
    }
    const Clock::time_point start = Clock::now();
    Tensor tensor = edited(id, compute());
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    trace_.stages.push_back({id, tensor, noted(id, std::move(operation)), false, seconds});
    return tensor;
  }

  // Adds a stage that is a view of an earlier one.
  Tensor add_view(StageId id, std::string operation, Tensor tensor) {
    tensor = edited(id, std::move(tensor));
    trace_.stages.push_back({id, tensor, noted(id, std::move(operation)), false, 0.0});
    return tensor;
  }

  // Adds a stage that equals the one before it, but for edits.
  Tensor add_equal(StageId id, std::string operation, Tensor tensor) {
    const bool equal = !has_edits(trace_.request, layer(), id);
    tensor = edited(id, std::move(tensor));
    trace_.stages.push_back({id, tensor, noted(id, std::move(operation)), equal, 0.0});
    return tensor;
  }

  // Memory for a stage, whose first `done` rows along `row_axis` already hold those of the last trace.
  struct Rows {
    Tensor tensor;
    std::int64_t done = 0;
  };
  Rows memory_of(StageId id, const Shape& shape, const Axes& axes, int row_axis) {
    if (buffers_ == nullptr) return {Tensor::zeros(shape, axes), 0};
    const Stage* before = reuse_.previous() == nullptr ? nullptr : reuse_.previous()->find(id);
    std::int64_t done = before == nullptr || !before->tensor.stored() ? 0 : reuse_.same_rows(id);
    done = std::min(done, shape[row_axis]);
    return {buffers_->take(id, shape, axes, row_axis, done > 0 ? before->tensor : Tensor(), done), done};
  }

  // The layer of the trace; 0 for a single layer.
  std::int64_t layer() const { return trace_.inputs == nullptr ? 0 : trace_.inputs->layer; }

  Trace& trace() { return trace_; }
  const Reuse& reuse() const { return reuse_; }
  const CancelToken& cancel() const { return cancel_; }

 private:
  Tensor edited(StageId id, Tensor tensor) const {
    if (is_score_like(id)) return tensor;
    // A trace that shows beforehand what will come has no inputs, and none of the request's arrays and patches.
    if (trace_.inputs != nullptr) {
      tensor = with_changes(trace_.request, *trace_.inputs, layer(), stage_name(id), tensor);
    }
    return with_edits(edits_of(trace_.request, layer(), id), tensor);
  }
  std::string noted(StageId id, std::string operation) const {
    return std::move(operation) + intervention_note(trace_.request, trace_.inputs.get(), layer(), id);
  }

  Trace& trace_;
  const Reuse& reuse_;
  StageBuffers* const buffers_;
  const CancelToken& cancel_;
};

// A stage y = x W^T + b: [batch, len, in] -> [batch, len, out].
struct ProjectionStep {
  StageId id{};
  std::string operation;  // in words
  const Tensor& x;
  const Linear& layer;
  bool own_rows = true;  // the rows of x are positions as Reuse counts them; false: all rows are computed
};

// Adds the stage; computes only the rows that cannot be reused from the last trace.
inline Tensor add_projection(TraceBuilder& builder, const ProjectionStep& step, const Backend& backend) {
  return builder.add(step.id, step.operation, [&] {
    const Tensor& x = step.x;
    const Linear& layer = step.layer;
    if (!step.own_rows) return backend.linear(x, layer.weight, layer.bias, builder.cancel());
    TraceBuilder::Rows rows = builder.memory_of(step.id, {x.dim(0), x.dim(1), layer.weight.dim(0)},
                                                {Axis::batch, Axis::position, Axis::feature}, 1);
    if (rows.done < x.dim(1)) {
      Tensor fresh = rows.tensor.writable_sliced(1, rows.done, x.dim(1));
      backend.linear_into(x.sliced(1, rows.done, x.dim(1)), layer, fresh, builder.cancel());
    }
    return rows.tensor;
  });
}

struct Heads {
  Tensor query, key, value;
};

// Adds the stages input ... value, for inputs that are vectors and the weights of a layer.
Heads projected_heads(TraceBuilder& trace, const Request& request, const Inputs& inputs, const Backend& backend);

}  // namespace headscope

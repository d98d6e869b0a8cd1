#include "core/attention/preview.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_sizes.h"
#include "core/request/one_pass.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "core/attention/forward.h"
#include "core/attention/interventions.h"
#include "core/attention/merged_on_demand.h"
#include "core/attention/on_demand.h"
#include "core/attention/reuse.h"
#include "core/attention/trace_builder.h"
#include "core/attention/updated_stages.h"
#include "core/backend/cpu_backend.h"
#include "core/backend/replaced_positions.h"
#include "core/base/assert.h"
#include "core/request/intervention_kinds.h"
#include "core/request/mask_terms.h"
#include "core/request/memory.h"
#include "core/request/rows_apart.h"

namespace headscope {
namespace {

using Positions = std::vector<std::int64_t>;

int position_axis(const Tensor& tensor) {
  int axis = 0;
  while (axis < tensor.rank() && tensor.axes()[axis] != Axis::position) ++axis;
  HEADSCOPE_ASSERT(axis < tensor.rank(), to_string(tensor.shape()) + " without positions");
  return axis;
}

// `before` with the positions given exchanged for the first ones of `rows`.
Tensor with_positions_replaced(const Tensor& before, const Tensor& rows, const Positions& positions) {
  const int axis = position_axis(before);
  return Tensor::computed(
      before.shape(), before.axes(), [before, rows, positions, axis](const Region& region, std::span<float> out) {
        before.read(region, out);
        std::int64_t outer = 1, inner = 1;
        for (int a = 0; a < region.count; ++a) (a < axis ? outer : inner) *= a == axis ? 1 : region[a].size();
        std::vector<float> values(static_cast<std::size_t>(outer * inner));
        for (std::size_t n = 0; n < positions.size(); ++n) {
          const std::int64_t at = positions[n] - region[axis].begin;
          if (at < 0 || at >= region[axis].size()) continue;
          Region row = region;
          row[axis] = {static_cast<std::int64_t>(n), static_cast<std::int64_t>(n) + 1};
          rows.read(row, values);
          for (std::int64_t o = 0; o < outer; ++o) {
            std::copy_n(values.data() + o * inner, inner, out.data() + (o * region[axis].size() + at) * inner);
          }
        }
      });
}

// raw_scores ... masked_scores, computed when read. Their products need queries and keys in one piece, which are copied
// at the first read.
class ScoresWhenRead {
 public:
  ScoresWhenRead(std::shared_ptr<const Backend> backend, Heads heads, ScoreRule rule)
      : backend_(std::move(backend)), heads_(std::move(heads)), rule_(std::move(rule)) {}

  void read(StageId stage, const Region& region, std::span<float> out) const {
    std::call_once(copied_, [&] {
      source_ = std::make_shared<const OnDemand>(backend_, heads_.query.dense_copy(), heads_.key.dense_copy(), Tensor(),
                                                 rule_);
    });
    source_->read_scores(stage, region, out);
  }

 private:
  const std::shared_ptr<const Backend> backend_;
  const Heads heads_;
  const ScoreRule rule_;
  mutable std::once_flag copied_;
  mutable std::shared_ptr<const OnDemand> source_;
};

// Which tokens are others; nothing when that is not all that can have changed.
Positions replaced_positions(const Trace& last, const Request& request, const Inputs& inputs) {
  Request same = request;
  same.phrase = last.request.phrase;
  const Inputs& before = *last.inputs;
  if (!(same == last.request) || request.phrase == last.request.phrase || request.embedding != Embedding::token ||
      !request.input.empty() || is_cross_attention(request) || is_attention_alone(request) ||
      before.tokens.size() != inputs.tokens.size() || !(before.x.shape() == inputs.x.shape())) {
    return {};
  }
  Positions positions;
  for (std::size_t i = 0; i < inputs.tokens.size(); ++i) {
    if (inputs.tokens[i] == before.tokens[i]) continue;
    if (static_cast<std::int64_t>(positions.size()) == kMostReplaced) return {};
    positions.push_back(static_cast<std::int64_t>(i));
  }
  return positions;
}

// How many products forward() has to make when tokens from `first` on are others: under a causal mask it keeps the rows
// before them.
double products_after(std::int64_t first, const Request& request, const Inputs& inputs) {
  const double all = products_of(stage_sizes_of(inputs));
  const bool causal = mask_rule_of(request.mask).causal();
  return causal ? all * static_cast<double>(inputs.query_len - first) / static_cast<double>(inputs.query_len) : all;
}

// Whether `last` is a layer of its own that keeps all that an update begins with, and `inputs` have the same layer.
bool same_kept_layer(const Trace& last, const Inputs& inputs) {
  const Inputs& before = *last.inputs;
  if (last.preview || last.model != nullptr || last.on_demand != nullptr || before.checkpoint != nullptr ||
      inputs.checkpoint != nullptr || inputs.head_rule != nullptr || !inputs.own_mask.empty() ||
      !inputs.mask_files.empty() || inputs.relative_positions != nullptr ||
      !same_layer(before.weights, inputs.weights)) {
    return false;
  }
  for (const StageId stage : {StageId::query, StageId::key, StageId::value, StageId::weights, StageId::context}) {
    const Stage* kept = last.find(stage);
    if (kept == nullptr || !kept->tensor.stored() || kept->tensor.strides()[3] != 1) return false;
  }
  return !last.row_statistics.max.empty();
}

// The inputs of the replaced positions alone: [batch, positions, input_dim].
Inputs inputs_of(const Positions& positions, const Inputs& all) {
  Inputs part;
  part.weights = all.weights;
  part.batch = all.batch;
  part.query_len = part.key_len = static_cast<std::int64_t>(positions.size());
  part.num_heads = all.num_heads;
  part.num_kv_heads = all.num_kv_heads;
  part.head_dim = all.head_dim;
  part.value_head_dim = all.value_head_dim;
  part.input_dim = all.input_dim;
  part.d_model = all.d_model;
  part.x = Tensor::zeros({all.x.dim(0), part.query_len, all.x.dim(2)}, all.x.axes());
  float* out = part.x.mutable_data();
  for (std::int64_t b = 0; b < all.x.dim(0); ++b) {
    for (const std::int64_t i : positions) {
      all.x.read({{b, b + 1}, {i, i + 1}, {0, all.x.dim(2)}}, {out, static_cast<std::size_t>(all.x.dim(2))});
      out += all.x.dim(2);
    }
  }
  return part;
}

// What the stages of a preview are made from.
struct Update {
  const Positions& positions;  // the replaced ones
  const Trace& rows;           // their input ... value
  const ReplacedPositions& replaced;
  const std::shared_ptr<const UpdatedAttention>& attention;
  const ScoreRule& rule;
  const std::shared_ptr<const Backend>& backend;
};

// Exchanges every tensor of `trace`, which holds those of the last one, for the updated one; false when it holds a
// stage that nothing updates.
bool update_stages(Trace& trace, const Update& update) {
  Heads heads;
  std::shared_ptr<const ScoresWhenRead> scores;
  const Tensor* previous = nullptr;
  for (Stage& stage : trace.stages) {
    stage.seconds = 0;
    if (stage.id == StageId::input) {
      stage.tensor = trace.inputs->x;
    } else if (stage.id < StageId::raw_scores) {
      stage.tensor = with_positions_replaced(stage.tensor, update.rows.tensor(stage.id), update.positions);
      if (stage.id == StageId::query) heads.query = stage.tensor;
      if (stage.id == StageId::key) heads.key = stage.tensor;
    } else if (stage.equals_previous) {
      stage.tensor = *previous;
    } else if (stage.id < StageId::weights) {
      if (scores == nullptr) scores = std::make_shared<const ScoresWhenRead>(update.backend, heads, update.rule);
      stage.tensor = Tensor::computed(
          stage.tensor.shape(), stage.tensor.axes(),
          [id = stage.id, scores](const Region& region, std::span<float> out) { scores->read(id, region, out); });
    } else if (stage.id == StageId::weights) {
      stage.tensor = updated_weights(stage.tensor, update.attention, update.positions);
    } else if (stage.id == StageId::context) {
      stage.tensor = updated_context(stage.tensor, update.attention, update.replaced, update.rule.mask,
                                     ablated_heads(trace.request));
    } else if (stage.id == StageId::concat) {
      stage.tensor = merged_on_demand(*previous, trace.request.merge);
    } else if (stage.id == StageId::output) {
      stage.tensor = projected_on_demand(*previous, trace.inputs->weights.output, update.backend);
    } else {
      return false;
    }
    previous = &stage.tensor;
  }
  return true;
}

}  // namespace

std::shared_ptr<const Trace> preview_of(const std::shared_ptr<const Trace>& last, const Request& request,
                                        const std::shared_ptr<const Inputs>& inputs,
                                        const std::shared_ptr<const Backend>& backend, double least_products,
                                        const CancelToken& cancel) {
  const TraceBuilder::Clock::time_point start = TraceBuilder::Clock::now();
  const auto* cpu = dynamic_cast<const CpuBackend*>(backend.get());
  if (cpu == nullptr || last == nullptr || !in_one_pass(request) || rows_apart(request) < RowsApart::projections) {
    return nullptr;
  }
  if (last->hidden_weight != nullptr) return nullptr;  // which hidden cells hold weight is read from exact ones
  const Positions positions = replaced_positions(*last, request, *inputs);
  if (positions.empty() || !same_kept_layer(*last, *inputs)) return nullptr;
  if (products_after(positions.front(), request, *inputs) < least_products) return nullptr;
  const bool no_uniform_rows = request.fully_masked != FullyMasked::uniform || last->fully_masked_rows == 0;
  const ScoreRule rule = score_rule_of(request, *inputs, last->mask);
  if (!no_uniform_rows || !can_update(rule)) return nullptr;

  Trace rows;  // input ... value of the replaced positions
  const Reuse nothing;
  TraceBuilder builder(rows, nothing, nullptr, cancel);
  const Heads changed = projected_heads(builder, request, inputs_of(positions, *inputs), *backend);
  ReplacedPositions replaced{last->tensor(StageId::query),
                             last->tensor(StageId::key),
                             last->tensor(StageId::value),
                             last->row_statistics,
                             positions,
                             changed.query,
                             changed.key,
                             changed.value};
  std::optional<UpdatedAttention> updated = updated_attention(*cpu, replaced, rule, cancel);
  if (!updated) return nullptr;
  const auto update = std::make_shared<const UpdatedAttention>(*std::move(updated));

  auto trace = std::make_shared<Trace>(*last);
  trace->preview = true;
  trace->request = request;
  trace->inputs = inputs;
  trace->row_statistics = update->statistics;
  if (!update_stages(*trace, {positions, rows, replaced, update, rule, backend})) return nullptr;
  trace->seconds = std::chrono::duration<double>(TraceBuilder::Clock::now() - start).count();
  return trace;
}

}  // namespace headscope

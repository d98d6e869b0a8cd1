// The cpu backend. Its functions are in cpu_linear.cpp, cpu_attention.cpp and cpu_scores.cpp. It keeps weights in
// packed form between calls, found by their address: the numbers of a weight must not change while it lives.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/packed_heads.h"
#include "core/backend/packed_weights.h"
#include "core/backend/scratch.h"
#include "core/base/thread_pool.h"
#include "core/tensor/parts.h"

namespace headscope {

class ScoreRows;

class CpuBackend : public Backend {
 public:
  // `threads` as ThreadPool takes them.
  explicit CpuBackend(int threads) : pool_(threads) {}

  std::string_view name() const override { return "cpu"; }
  std::string description() const override;

  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override;
  void linear_into(const Tensor& x, const Linear& layer, Tensor& y, const CancelToken& cancel) const override;
  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override;
  Tensor softmax_rows(const Tensor& masked_scores, RowStatistics* statistics, const CancelToken& cancel) const override;
  Tensor softmax_rows_beside_sinks(const Tensor& masked_scores, const Tensor& sinks, RowStatistics* statistics,
                                   const CancelToken& cancel) const override;
  Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                         const CancelToken& cancel) const override;
  void attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                 const CancelToken& cancel) const override;
  void attention_with_rows(const ScoreOperands& of, const Tensor& value, const QueryRange& part, const StageRows& rows,
                           AttentionResults& to, const CancelToken& cancel) const override;
  void read_scores(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                   const CancelToken& cancel) const override;
  RowStatistics read_new_weights(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                                 const CancelToken& cancel) const override;
  std::optional<RowStatistics> visit_weights(const ScoreOperands& of, const QueryRange& part, const VisitWeights& visit,
                                             const CancelToken& cancel) const override;

  // Calls task(0, scratch) ... task(count - 1, scratch) on the threads, each with `floats` uninitialised floats of
  // scratch memory. Checks `cancel` before each task; throws Cancelled. `work` is the number of multiplications of all
  // tasks.
  void run_with_scratch(std::int64_t count, double work, std::int64_t floats, const CancelToken& cancel,
                        const std::function<void(std::int64_t, float*)>& task) const;

 private:
  // Calls task(0) ... task(count - 1) on the threads; checks `cancel` before each task; throws Cancelled. `work` is the
  // number of multiplications of all tasks: little work stays on the caller.
  void run(std::int64_t count, double work, const CancelToken& cancel,
           const std::function<void(std::int64_t)>& task) const;

  // attention(), which hands out rows or weights where they are not null; without a context, weights and dropped
  // weights may be those of the first keys only. `past_caches`: see multiply_cells_to().
  struct Wanted {
    AttentionResults& to;
    const StageRows* rows = nullptr;
    bool past_caches = false;
    const VisitWeights* visit_weights = nullptr;  // then nothing but statistics is stored
  };
  void attend(const ScoreOperands& of, const Tensor& value, const QueryRange& part, const Wanted& wanted,
              const CancelToken& cancel) const;

  // read_scores() with the statistics that weights need; `rows` may be null for raw scores.
  void read_region(const Tensor& query, const Tensor& key, const ScoreRows* rows, const ScoreCells& cells, float* out,
                   const CancelToken& cancel) const;

  // The panels of the keys of some kv heads. They are packed (now, or kept from before) when `pack`, or when the keys
  // are many and only a part of the queries reads them; else each panel is packed when it is read. `work` as run()
  // takes it.
  std::shared_ptr<const PackedKeys> packed_keys(const Tensor& key, const HeadRange& kv_heads, std::int64_t queries,
                                                bool pack, double work, const CancelToken& cancel) const;

  // The panels of a weight, packed now or kept from before; null for one that is not to be kept.
  std::shared_ptr<const PackedMatrix> packed(const Tensor& weight, const CancelToken& cancel) const;
  // Where the rows of a product go: row i of batch b begins at first + b * batch_stride + i * row_stride.
  struct RowsInMemory {
    float* first = nullptr;
    std::int64_t batch_stride = 0, row_stride = 0;
  };
  // Rows of a product that follow one another at an equal distance.
  struct MatrixRows {
    const float* x;
    std::int64_t x_stride;
    float* y;
    std::int64_t y_stride;
    std::int64_t count;
  };
  // multiply() for a weight that is not kept packed: a strip of its rows at a time is packed (computed before, where it
  // is computed when read), multiplied with all rows and dropped: never more of it is in memory than a strip a thread.
  void multiply_in_strips(const Tensor& weight, const float* bias, const std::vector<MatrixRows>& matrices,
                          const CancelToken& cancel) const;
  struct RowBlock;
  // The same of so few rows that the weight is not even packed strip by strip (kernels/rows_in_place.h).
  void multiply_in_place(const Tensor& weight, const float* bias, const RowBlock& block,
                         const CancelToken& cancel) const;
  void multiply_few_in_strips(const Tensor& weight, const float* bias, std::span<const RowBlock> blocks,
                              const CancelToken& cancel) const;
  void multiply_many_in_strips(const Tensor& weight, const float* bias, std::span<const RowBlock> blocks,
                               const CancelToken& cancel) const;
  // x W^T + bias.
  void multiply(const Tensor& x, const Tensor& weight, const Tensor& bias, RowsInMemory to,
                const CancelToken& cancel) const;

  mutable ThreadPool pool_;
  static constexpr std::int64_t kMostKeptKeyBytes = std::int64_t{1} << 27;
  mutable ScratchPool scratch_;
  mutable KeptKeys kept_keys_{kMostKeptKeyBytes};  // declared after scratch_, to which its memory goes back
  mutable PackedWeights packed_weights_;
};

// The kv heads that the given heads read.
inline HeadRange kv_heads_of(Range batch, Range heads, std::int64_t heads_per_kv_head) {
  return {batch, {heads.begin / heads_per_kv_head, parts_over(heads.end, heads_per_kv_head)}};
}

// The same numbers with a stride of 1 along the last axis; copied only when the stride is another one.
Tensor with_unit_last_stride(const Tensor& tensor);

}  // namespace headscope

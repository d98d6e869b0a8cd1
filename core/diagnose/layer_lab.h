// One attention layer by the formulas of core/README.md, in double, right or with faults, from any stage on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/score_rule.h"
#include "core/base/cancel.h"
#include "core/base/thread_pool.h"
#include "core/compare/mistakes.h"
#include "core/compare/number_grid.h"
#include "core/compare/wide_stage.h"
#include "core/model/architecture.h"
#include "core/request/mask.h"

namespace headscope {

// Stages whose numbers are taken as they are given and not computed, [batch, ...] as the layer has them.
using GivenStages = std::map<StageId, Tensor>;

// What the lab made before the scores: input, the projections, query, key and value. Labs share what is alike in them.
using LabHeads = std::map<StageId, std::shared_ptr<const WideStage>>;

// Which axis of a stage counts queries from the scores on; -1: the stage stands before them and has every position.
int query_axis(StageId stage);

// A stage with these queries only, in this order; whole where query_axis() is -1. Read row by row, since a stage of a
// long text may not fit into memory a second time.
WideStage stage_rows(StageId stage, const Tensor& tensor, std::span<const std::int64_t> queries);

// The key or value head that a query head reads.
std::int64_t kv_head_of(LayerFaults::Groups groups, std::int64_t head, std::int64_t heads, std::int64_t kv_heads);

// Whether a row of the layer needs the scores or the context of other rows.
bool mixes_rows(const Altered& what);

// `given` and `cancel` must live as long as the lab. The layer that `what` describes. Stages from `given` take the
// place of computed ones where their shapes agree. With `grid`, inputs, weights and every stage are rounded to it as
// they are stored.
class LayerLab {
 public:
  LayerLab(Altered what, const GivenStages& given, const NumberGrid* grid, const CancelToken& cancel);

  // Whether the lab computes the stage at all: projections, heads, and what follows from scores on.
  static bool makes(StageId stage);

  // input, the projections, query, key and value, [batch, ...] each. Computed once, or taken from another lab whose
  // mistakes differ only behind them. Throws Cancelled.
  std::shared_ptr<const LabHeads> heads();
  void take_heads(std::shared_ptr<const LabHeads> heads) { heads_ = std::move(heads); }
  // The heads of all batch items are shared among these threads, which must live as long as the lab. Numbers stay the
  // same.
  void use(ThreadPool& pool) { pool_ = &pool; }
  // `right`: those of the right layer with the same grid. Of a layer of query, key and value alone, heads() shares each
  // array that no mistake changes. `inputs`, those of the right layer, must live as long as the lab.
  void share_arrays(std::shared_ptr<const LabHeads> right, const Inputs& inputs) {
    right_ = std::move(right);
    right_inputs_ = &inputs;
  }
  // raw_scores of these queries, likewise: the next stage() must be of the same queries.
  std::shared_ptr<const WideStage> raw(std::span<const std::int64_t> queries);
  void take_raw(std::shared_ptr<const WideStage> raw) { raw_ = std::move(raw); }

  // The stage. From the scores on it has these queries only, in this order: [batch, heads, queries, keys] or [batch,
  // queries, features]. Every query has to be there where faults().mixes_rows(), or with softmax-over-queries. Empty
  // where the layer has no such stage. Throws Cancelled.
  WideStage stage(StageId stage, std::span<const std::int64_t> queries);

  // In place of rounding, every number that is stored is moved at random by up to half a step of the grid: another
  // `seed`, above 0, moves it otherwise. Call it before heads().
  void scatter(std::uint64_t seed);
  // What the cells of the stage are sums of, its terms taken absolutely: what rounding costs is a share of it, also
  // where the sum itself is 0. Of weights they themselves; of heads the size of their row. Throws Cancelled.
  WideStage summed(StageId stage, std::span<const std::int64_t> queries);

  // Whether the mask hides the cell, the faults of the mask included.
  bool hides(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  const Altered& what() const { return what_; }
  bool mixes_rows() const { return headscope::mixes_rows(what_); }
  std::int64_t queries() const { return what_.inputs.query_len; }

 private:
  using Rows = std::span<const std::int64_t>;

  double stored(double value) const {
    if (grid_ == nullptr) return value;
    return scattered_ == 0 ? rounded_to(*grid_, value) : scattered(value);
  }
  WideStage stored(const Tensor& tensor) const;
  // The stage as made, or as given; of score-like stages and those behind them the given rows.
  WideStage kept(StageId stage, WideStage made, Rows rows) const;

  // layer_lab.cpp
  WideStage projected(const WideStage& x, const Linear& linear) const;
  // lab_heads.cpp
  void project(WideStages& stages) const;
  WideStage split(const WideStage& projected, std::int64_t heads) const;
  void turn(WideStage& heads, const HeadRule& rule, const Tensor& norm, bool turns, std::int64_t shift) const;
  void turn_rows(WideStage& heads, const RotaryRule& rule, std::int64_t shift) const;
  void add_past_and_bias(WideStages& stages) const;
  void make_stale_and_round(StageId id, WideStage& heads) const;
  void take_arrays(LabHeads& heads) const;
  std::shared_ptr<const WideStage> right_array(StageId id, const Tensor& tensor) const;
  // Scores of some queries of one (batch, head), [rows, keys].
  struct Pair {
    std::int64_t b = 0, h = 0, heads = 0, keys = 0;
    Rows rows;
  };
  // Whether the stages behind raw scores follow pair by pair: none of them is given, and no step needs other pairs.
  bool goes_by_pairs() const;
  // The stages from raw_scores to context, either way.
  WideStage by_pairs(StageId last, Rows rows) const;
  WideStage one_after_the_other(StageId stage, Rows rows) const;
  // From raw scores to `last`; false where that stands before the weights.
  bool before_weights(const Pair& at, StageId last, double* cells) const;
  // lab_scores.cpp
  std::int64_t score_keys() const;
  void multiply(const Pair& at, double* cells) const;
  WideStage raw_scores(Rows rows) const;
  double slope_bias(std::int64_t h, std::int64_t i, std::int64_t j) const;
  double added(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  void scale(const Pair& at, double* cells) const;
  void cap(const Pair& at, double* cells) const;
  void mask(const Pair& at, double* cells, bool scales) const;
  void mask_runs(const VisibleKeys& seen, std::int64_t keys, double scale, double filled, double* row) const;
  // lab_weights.cpp
  bool softmax_crosses_pairs() const;
  std::vector<double> sinks() const;
  double weight_of_opened(std::int64_t keys) const;  // of each key, where a row saw none
  void normalise(double* first, std::int64_t count, std::int64_t step, double sink) const;
  void normalise_columns(double* cells, std::int64_t count, std::int64_t keys) const;
  void softmax(const Pair& at, const std::vector<double>& sinks, double* cells) const;
  void open_rows(const Pair& at, double filled, double* cells) const;
  WideStage softmaxed(WideStage masked, Rows rows) const;
  void drop(const Pair& at, double* cells) const;
  // lab_output.cpp
  void mix(const Pair& at, const double* weights, double* to) const;
  WideStage context(const WideStage& weights, Rows rows) const;
  WideStage joined(const WideStage& context) const;
  WideStage output(const WideStage& concat, Rows rows) const;
  // lab_rounding.cpp
  double scattered(double value) const;
  WideStage summed_projection(StageId stage) const;
  WideStage summed_scores(StageId stage, Rows rows);
  WideStage summed_behind_weights(StageId stage, Rows rows);

  // Calls task(0) ... task(pairs - 1), one for each (batch, head).
  void each_pair(std::int64_t pairs, const std::function<void(std::int64_t)>& task) const;
  void each_pair_of(WideStage& scores, Rows rows, const std::function<void(const Pair&, double*)>& step) const;

  Altered what_;
  const GivenStages& given_;
  const NumberGrid* grid_;
  mutable std::uint64_t scattered_ = 0;  // the state of scatter(); 0: numbers are rounded
  double lowest_ = 0, half_step_ = 0;    // of the grid, for scattered(): the lowest normal number, and a share of any
  const CancelToken& cancel_;
  ScoreRule rule_;
  std::int64_t diagonal_ = 0;
  std::shared_ptr<const LabHeads> heads_, right_;
  const Inputs* right_inputs_ = nullptr;
  ThreadPool* pool_ = nullptr;
  std::shared_ptr<const WideStage> raw_;
};

}  // namespace headscope

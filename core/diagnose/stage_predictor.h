// One stage of a layer with mistakes, computed from the stages that other code gave before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/base/thread_pool.h"
#include "core/compare/mistakes.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/layer_lab.h"

namespace headscope {

// Places in all_mistakes() with their variations, in increasing order.
using MistakeSet = std::vector<std::pair<std::size_t, int>>;

// Several threads may ask for predictions at once where by_lab().
class StagePredictor {
 public:
  // Predictions that are asked for one at a time share their work among the threads of `pool`, which must live as long;
  // null: they have one thread each.
  StagePredictor(const Trace& ours, StageId stage, GivenStages given, std::shared_ptr<const Backend> backend,
                 const CancelToken& cancel, ThreadPool* pool = nullptr);

  // The queries that predictions have: all, or, of a layer too large for that, some.
  void look_at(std::vector<std::int64_t> queries);
  const std::vector<std::int64_t>& queries() const { return queries_; }
  bool looks_at_all() const { return static_cast<std::int64_t>(queries_.size()) == ours_.query_len(); }

  // The stage with these mistakes; nothing where they cannot be made here. `grid`: the numbers that are stored are
  // rounded to it. Throws Cancelled.
  std::optional<WideStage> predicted(const MistakeSet& mistakes, const NumberGrid* grid) {
    return made(mistakes, grid, 0);
  }
  // The same with its numbers moved at random by up to half a step of the grid (LayerLab::scatter), `seed` above 0.
  std::optional<WideStage> scattered(const MistakeSet& mistakes, const NumberGrid& grid, std::uint64_t seed) {
    return made(mistakes, &grid, seed);
  }
  // What the cells of the stage are sums of (LayerLab::summed); nothing where that is not known.
  std::optional<WideStage> summed(const MistakeSet& mistakes);

  // Whether the mask of the request hides the cell of a score-like stage.
  bool hides(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  // Whether the lab computes this layer; else the engine does, which makes the mistakes of core/compare alone.
  bool by_lab() const { return by_lab_; }
  const GivenStages& given() const { return given_; }
  // Multiplications of a prediction, roughly.
  double cost() const;
  // Those of queries, keys and values, which predictions share whose mistakes differ behind them.
  double cost_of_heads() const;

 private:
  std::optional<WideStage> made(const MistakeSet& mistakes, const NumberGrid* grid, std::uint64_t seed);
  // The right layer with the mistakes; nothing where they cannot be made.
  std::optional<Altered> altered(const MistakeSet& mistakes) const;
  // Query, key and value of the lab, from heads_ where they are there.
  void share_heads(LayerLab& lab, const MistakeSet& mistakes, const NumberGrid* grid);
  // raw_scores of the queries that are looked at, likewise, where they are few enough to be kept.
  void share_raw(LayerLab& lab, const MistakeSet& mistakes, const NumberGrid* grid);
  std::optional<WideStage> by_engine(Altered what) const;
  double cells() const;  // of the scores that are looked at

  const Trace& ours_;
  StageId stage_;
  GivenStages given_;
  std::shared_ptr<const Backend> backend_;
  const CancelToken& cancel_;
  bool by_lab_ = false;
  ThreadPool* pool_ = nullptr;
  std::vector<std::int64_t> queries_;
  // Keeps query, key and value for each set of the mistakes that change them.
  using Key = std::pair<MistakeSet, const NumberGrid*>;
  std::map<Key, std::shared_ptr<const LabHeads>> heads_;
  std::map<Key, std::shared_ptr<const WideStage>> raw_;  // of queries_
  std::mutex mutex_;                                     // of both
};

}  // namespace headscope

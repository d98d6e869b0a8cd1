// The plain comparison of one stage: ours as it follows from their stages before it, beside theirs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/base/thread_pool.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/layer_lab.h"
#include "core/diagnose/stage_predictor.h"
#include "core/diagnose/tolerance.h"

namespace headscope {

// [batch, heads, queries, keys] -> [batch, 1, queries, keys].
WideStage mean_over_heads(const WideStage& stage);

// The comparer looks at some queries of a long text: those whose rows differ first, and some from everywhere. `ours`,
// `theirs` and `cancel` must live as long as it.
class StageComparer {
 public:
  // Throws UsageError where no number format has the name of the options, Cancelled.
  StageComparer(const Trace& ours, const ExternalStage& theirs, const GivenStages& given, const DiagnoseWork& work,
                const CancelToken& cancel);

  // Compares every cell, also of queries that are not looked at. Its answer holds no mistakes.
  StageComparison compare();

  // Another stage of ours that theirs are, in the queries that are looked at; nothing where there is none.
  std::optional<StageId> another_stage() const;

  // Returns what still differs with the mistakes, in the queries that are looked at; nothing where they cannot be made,
  // or change nothing that can be seen here. Several threads may ask at once where by_lab().
  std::optional<Remainder> left_of(const MistakeSet& mistakes);
  // Returns what still differs once those weights are dropped that are 0 in theirs alone. `rescaled`: the others are
  // divided by the share that is kept, as it follows from theirs. Nothing where theirs are no weights, or too few were
  // dropped to tell.
  std::optional<Remainder> left_of_dropout(bool rescaled) const;
  // Whether the mistakes also explain the queries that are not looked at; of very many, some from everywhere.
  bool holds_everywhere(const MistakeSet& mistakes);
  // Looks at every query, where the scores are small enough for that; false where they are not.
  bool look_at_all();

  // Whether more than a small part of all cells differs; known after compare().
  bool differs_widely() const { return differing_share_ > kSmallPart; }
  // Whether theirs are all the same number, where ours are not: that says nothing of which mistake it is.
  bool says_nothing() const;
  bool same_shape() const { return external_.tensor.shape() == own_.shape(); }
  bool looks_at_all() const { return predictor_.looks_at_all(); }
  const Remainder& plain_left() const { return plain_left_; }  // without mistakes, of the queries that are looked at
  StageId stage() const { return external_.stage; }
  const NumberFormat& format() const { return format_; }
  double cost() const { return predictor_.cost(); }  // of left_of(), in multiplications
  bool by_lab() const { return predictor_.by_lab(); }
  // Threads for predictions; work that one of them asks for it does itself.
  ThreadPool& pool() { return pool_; }

 private:
  std::optional<WideStage> predicted(const MistakeSet& mistakes, const NumberGrid* grid);
  void choose_queries();
  void begin(const DiagnoseWork& work);
  double drift_of(const DiagnoseWork& work);
  bool acts(const WideStage& made);
  // The right stage: the lab's, or, where that was not made, the engine's in float32.
  const WideStage& unrounded() const { return exact_.shape.count > 0 ? exact_ : plain_; }
  std::int64_t heads_of_features() const;
  void compare_others(WhereFinder& where, StageComparison& result);
  // The cells that a mask hides, of these queries.
  IsFilled filled_in(std::vector<std::int64_t> queries) const;
  // What rounding costs each cell, with these mistakes; empty where it is not known. `exact`: the stage with them.
  std::vector<double> allowance(const MistakeSet& mistakes, const WideStage& exact);
  // `known`: the queries are those that are looked at, whose allowance is known.
  Remainder left_with(const MistakeSet& mistakes, const WideStage& made, const WideStage& theirs, bool known);
  // Whether rows that seem to differ still do with what rounding costs in each of them.
  bool all_are_near(const std::vector<std::int64_t>& queries);
  Tolerance tolerance_of_others() const;
  Remainder add(WhereFinder& where, const WideStage& right, const WideStage* other, const WideStage& theirs,
                const std::vector<std::int64_t>& queries, const Tolerance& tolerance);
  WideStage right_rows(const std::vector<std::int64_t>& queries);
  // The queries that are not looked at, some at a time.
  std::vector<std::vector<std::int64_t>> other_queries() const;

  const Trace& ours_;
  const ExternalStage& external_;
  const Tensor own_;
  const bool has_given_;
  ThreadPool pool_{std::min(hardware_threads(), 8)};  // each has a layer in memory
  StagePredictor predictor_;
  const CancelToken& cancel_;
  NumberFormat format_;
  // Mistakes are made with this grid: the format's, without its range where the right layer passes that, so that
  // infinite scores are a mistake of their own.
  const NumberGrid* made_grid_ = nullptr;
  NumberGrid unbounded_;
  WideStage theirs_, plain_, rounded_, exact_;  // exact_: the lab's, without rounding; empty where it was not made
  WideStage made_right_;                        // the lab's with made_grid_, where that is not the format's
  IsFilled filled_;
  static constexpr double kSmallPart = 0.02;
  double differing_share_ = 1;
  double drift_ = 0;  // how far DiagnoseOptions::drifted lies away, in shares of a row
  std::optional<double> fixed_;
  std::optional<Tolerance> tolerance_;  // with what rounding costs in the queries that are looked at
  std::optional<Tolerance> of_rows_;    // without it
  Remainder plain_left_;
  std::vector<StageId> given_;
};

}  // namespace headscope

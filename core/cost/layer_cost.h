// What a layer costs: multiply-adds, bytes moved and bytes kept, stage by stage, as formulas and as numbers.
//
// A stage is counted as if it was computed alone: every number that it needs is read from memory once, every number of
// its result is written once. Stages that are views, or equal to the one before, cost nothing. Scores and weights are
// counted whole: also the cells that a mask, a window or a past hides, most of which the engine leaves out. Not
// counted: the MLP, norms of the stream, embeddings, interventions, which keys a mask hides, which weights dropout
// keeps. Operations are counted as in the roofline model (Williams, Waterman and Patterson 2009).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/cost/cost_formula.h"
#include "core/request/stage.h"

namespace headscope {

// Doubles: whole numbers, exact below 2^53 and never past their range.
struct CostAmounts {
  double multiply_adds = 0;      // of products of matrices
  double others = 0;             // other floating-point operations
  double read = 0, written = 0;  // bytes
  double cached = 0;             // bytes that a generation keeps for the tokens to come
  // Those of `read` and `written` that are scores or weights, which stay in caches where attention is one pass.
  double scores_read = 0, scores_written = 0;

  // Floating-point operations: 2 for every multiply-add, and the others.
  double operations() const { return 2 * multiply_adds + others; }
  double bytes() const { return read + written; }
  // The arithmetic intensity: floating-point operations for every byte that is read or written; nullopt: no byte is.
  std::optional<double> intensity() const;
  bool has_scores() const { return scores_read + scores_written > 0; }
  bool any() const { return operations() > 0 || bytes() > 0 || cached > 0; }
};

// The formulas that the amounts are computed from. Those of bytes have the bytes of a number as a factor.
struct CostFormulas {
  CostFormula multiply_adds, others, read, written, cached, scores_read, scores_written;
};

struct StageCost {
  StageId stage{};
  std::vector<std::string_view> steps;  // "copy", "rotary positions"; empty: given, a view, or equal to the one before
  CostFormulas formulas;
  CostAmounts now, twice;  // of these sizes, and of a text that is twice as long (twice_as_long() in cost_size.h)
};

// A size that a formula names.
struct UsedCostSize {
  CostSize size{};
  double now = 0, twice = 0;
};

struct LayerCost {
  std::vector<StageCost> stages;  // of the trace, in its order
  CostFormulas formulas;          // of all of them
  CostAmounts now, twice;
  std::vector<UsedCostSize> sizes;
  std::int64_t layer = 0, layers = 1;  // of a model: this layer, and how many its list has
  bool of_model = false;
  std::optional<double> visible;  // the share of score cells that no mask hides; nullopt: too many to be counted
  const StageCost* find(StageId stage) const;
};

// The bytes of a layer whose scores and weights never reach memory, as those of FlashAttention (Dao et al. 2022).
CostAmounts in_one_pass(const CostAmounts& amounts);

// Why nothing can be counted, a sentence without a full stop; "" where layer_cost() may be called.
std::string no_cost_sentence(const Trace& trace);

// Counts a trace whose no_cost_sentence() is "" (asserted).
LayerCost layer_cost(const Trace& trace);

}  // namespace headscope

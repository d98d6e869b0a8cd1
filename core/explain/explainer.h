// Takes the steps of one cell, in double, and words them. Internal to core/explain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "core/model/head_rule.h"
#include "core/request/mask_parts.h"

namespace headscope {

// Steps print more digits than a float32 has, so that the next step can be checked by hand.
std::string step_text(double value);

// "a − (b)" reads better than "a − −b".
std::string in_brackets(double value, const std::string& text);

// The cells of a region, row-major.
std::vector<Index> cells_of(const Region& region);

// The numbers of these cells.
std::vector<double> values_of(const CellSource& source);

class Explainer {
 public:
  Explainer(const Trace& trace, const CellOrigin& origin, Explanation& to) : trace_(trace), origin_(origin), to_(to) {}

  void add_steps();

 private:
  void add_own_steps();
  void step(std::string name, std::string expression, double value);
  double last() const { return to_.steps.back().value; }
  // What came in, before anything was done to it.
  double given_value() const;
  void add_operand(const CellSource& source, const Index& index, double value);
  const Operand& add_operand(const CellSource& source);
  void add_products();
  // See StageInfo::formula.
  void add_formula();
  // "0.5 · 1.2 + 0.1 · (-0.3) + 62 more": the largest products first.
  std::string sum_text(std::size_t all) const;
  // See turn_heads: within the model's bounds, a norm over the head, then the pair of this feature turned by the
  // position's angle.
  void add_turned();
  // A feature, and the other one of its rotary pair.
  struct Pair {
    double own = 0, other = 0;
  };
  Pair add_head_norm(const HeadRule& rule, const std::vector<double>& x, std::int64_t own, std::int64_t other);
  // See row_norm.h.
  void add_normed();
  // The other feature of a rotary pair; -1: this feature is not turned.
  static std::int64_t partner(const RotaryRule& turns, std::int64_t d);
  // A score with what the mask adds: every term that adds, as an operand.
  void add_added(double score, double added);
  void add_mask();
  // The terms of the mask at this cell.
  std::vector<MaskPart> parts_here() const;
  // "causal, bias.npy[2, 3]": the terms that hide the cell.
  std::string hidden_by() const;
  void add_softmax();
  void add_sink_share();
  // The largest of the row and its sink, whose cells become operands, and the sum of their exponentials.
  struct SoftmaxRow {
    std::vector<double> scores;
    double maximum = 0, sum = 0;
    std::string over;  // "8 keys and the sink"
  };
  SoftmaxRow add_softmax_row();
  // What becomes of hidden cells and rows after the softmax; see finish_weights.
  void add_weight_rules(std::size_t keys);
  // See read_frozen_row.
  void add_frozen();
  void add_dropout();

  const Trace& trace_;
  const CellOrigin& origin_;
  Explanation& to_;
};

}  // namespace headscope

// The full explanation of one number, as the window shows it: the chain of single cells that it comes from, the sum at
// the end of that chain with its largest terms first, and the explanation of the largest weight in that sum. explain.h
// explains one cell.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/explain/cell_place.h"
#include "core/explain/explain.h"
#include "core/explain/formula_tree.h"

namespace headscope {

// One step of the explanation of a cell in the chain.
struct ReportStep {
  CellPlace of;
  ExplainStep step;
};

// One product of the sum.
struct ReportTerm {
  std::int64_t k = 0;  // its place in the sum: a feature, or a key
  double left = 0, right = 0, product = 0;
  float share = 0;               // product / the largest |product|: [-1, 1]; 0 when it is not finite
  std::size_t left_operand = 0;  // index in CellReport::root().operands; the right operand follows it
};

struct ReportFeature;

struct CellReport {
  std::vector<Explanation> chain;   // the reported cell, then for each cell the single cell that it comes from; never
                                    // empty
  std::string left_row, right_row;  // the factors of root()'s sum: "weights[0, 2, 7, j]", "value[0, 2, j, 1]"
  std::vector<ReportStep> steps;    // in the order of computation, without copies and without the sum itself
  std::vector<Formula> formulas;    // of chain[0], chain[1], ... down to the first cell that is no copy
  std::vector<ReportTerm> terms;    // of root(): the largest |product| first, NaN before all
  std::int64_t not_read = 0;        // terms of the sum that a mask hides
  bool over_keys = false;           // true: the terms are keys; false: features
  double sum = 0;                   // of the products, without a bias
  double rest = 0;                  // sum of the terms after the first kShownTerms
  double rest_largest = 0;          // the largest |product| among them; NaN where one of them is
  // Where rotary positions turn root(): the cell's own feature, then the other one of its pair; else empty.
  std::vector<ReportFeature> turned;
  std::shared_ptr<const CellReport> weight;  // explains the weight in the largest term; null: the sum has no weights

  const Explanation& cell() const { return chain.front(); }
  const Explanation& root() const { return chain.back(); }
  // The bias that is added to the sum; null when there is none.
  const Operand* bias() const {
    return !left_row.empty() && root().operands.size() > 2 * terms.size() ? &root().operands.back() : nullptr;
  }
};

// A feature that rotary positions turn into root(), and where it comes from in its turn.
struct ReportFeature {
  CellPlace place;
  CellReport report;
};

constexpr std::size_t kShownTerms = 6;  // the other terms are shown as one line with their number

// Whether a cell is a copy of another one.
bool is_copy(const Explanation& why);

// The number of decimals with which both factors must be printed so that a reader who multiplies them gets the printed
// product of `decimals` decimals, up to one in the last digit.
int factor_decimals(const CellReport& report, int decimals);

// The report of stage[index]; the trace has both (asserted). Reads only the regions that the cell is computed from.
CellReport report_of(const Trace& trace, StageId stage, const Index& index);

// Whether report_of() costs far less than a frame: no row has to be computed for it, and no sum is long.
bool report_is_quick(const Trace& trace);

}  // namespace headscope

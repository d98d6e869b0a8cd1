// All that is said of one number: the single cells that lead to it, the sum at their root with its largest terms first,
// and what the largest weight of that sum is made of. What the window shows; explain.h explains one cell.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/explain/cell_place.h"
#include "core/explain/explain.h"

namespace headscope {

// A step of the explanation of one cell among those that lead to the reported one.
struct ReportStep {
  CellPlace of;
  ExplainStep step;
};

// One product of the sum.
struct ReportTerm {
  std::int64_t k = 0;  // its place in the sum: a feature, or a key
  double left = 0, right = 0, product = 0;
  float share = 0;               // product / the largest |product|: [-1, 1]; 0 when that is not finite
  std::size_t left_operand = 0;  // of CellReport::root().operands; the right one follows
};

struct CellReport {
  std::vector<Explanation> chain;   // the reported cell, then the single cell that each comes from; never empty
  std::string left_row, right_row;  // the factors of root()'s sum: "weights[0, 2, 7, j]", "value[0, 2, j, 1]"
  std::vector<ReportStep> steps;    // in the order of computing, without copies and without the sum itself
  std::vector<ReportTerm> terms;    // of root(): the largest |product| first, NaN before all
  std::int64_t not_read = 0;        // terms of the sum that a mask hides
  bool over_keys = false;           // the terms are keys, else features
  double sum = 0;                   // of the products, without a bias
  double rest = 0;                  // sum of the terms after the first kShownTerms
  double rest_largest = 0;          // the largest |product| among them
  std::shared_ptr<const CellReport> weight;  // of the weight in the largest term; null when the sum has none

  const Explanation& cell() const { return chain.front(); }
  const Explanation& root() const { return chain.back(); }
  // The bias that is added to the sum; null when there is none.
  const Operand* bias() const {
    return !left_row.empty() && root().operands.size() > 2 * terms.size() ? &root().operands.back() : nullptr;
  }
};

constexpr std::size_t kShownTerms = 6;  // the rest is one counted line

// Whether a cell is another one, moved.
bool is_copy(const Explanation& why);

// Decimals that both factors need so that their products, worked out by hand, agree with the printed one to the last of
// `decimals` digits or one off.
int factor_decimals(const CellReport& report, int decimals);

// Of stage[index]; the trace has both (asserted). Reads the regions that feed the cell, nothing else.
CellReport report_of(const Trace& trace, StageId stage, const Index& index);

// Whether report_of() costs far less than a frame: no row has to be computed for it, and no sum is long.
bool report_is_quick(const Trace& trace);

}  // namespace headscope

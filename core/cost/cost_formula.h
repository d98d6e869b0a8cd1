// A count as data: a sum of products of named sizes. Its text and its number are both read from it, so that they cannot
// disagree.
#pragma once

#include <string>
#include <vector>

#include "core/cost/cost_size.h"

namespace headscope {

// factor * size * size * ...
struct CostProduct {
  double factor = 1;
  std::vector<CostSize> sizes = {};
};
using CostFormula = std::vector<CostProduct>;  // their sum; empty: 0

// The sum over the products of factor times all of its sizes.
double value_of(const CostFormula& formula, const CostSizes& sizes);

// "B·H·Q·K·D", "4·(B·Q·input_dim + d_model) + 2·d_model·input_dim"; "0" of an empty sum. Products of equal factors
// share it.
std::string text_of(const CostFormula& formula);

// Returns the sum with products of the same sizes made one, and those with the factor 0 left out.
CostFormula gathered(const CostFormula& formula);

}  // namespace headscope

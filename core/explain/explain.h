// Why a cell holds its number: the formula, its operands with their values, and the steps in double.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain/cell_origin.h"

namespace headscope {

struct Operand {
  std::string stage;  // a stage, or a tensor of the weights file
  Index index;        // in its own axes
  double value = 0;
  SourceRole role{};
};

struct ExplainStep {
  std::string name;        // "× scale", "row maximum"
  std::string expression;  // with the numbers that enter it
  double value = 0;        // in double, from the operands as stored
};

// One product of a long sum.
struct ExplainTerm {
  std::int64_t k = 0;  // its place in the sum: a feature, or a key
  double left = 0, right = 0;
  double product() const { return left * right; }
};

// How rotary positions make a cell of the two features of a pair: own · own.factor + other · other.factor.
struct ExplainTurn {
  // A feature before it was turned.
  struct Feature {
    Operand cell;      // as stored
    double value = 0;  // what is turned: after the model's bounds and norm, where it has some
    double factor = 0;  // of the cell's own feature cos θ; of the other one −sin θ where the cell is the first of its
                        // pair, else +sin θ; both times `stretch`
    double product() const { return value * factor; }
  };
  Feature own, other;
  bool first = false;         // the cell's own feature is the first of its pair
  std::int64_t position = 0;  // counted from 0
  std::int64_t pair = 0;
  double frequency = 0, angle = 0;  // θ in radians = position · frequency, in float32 as models compute it
  double stretch = 1;               // by which YaRN and LongRoPE multiply cos and sin
  bool normed = false;              // a norm of the head lies between
};

// "−sin θ" or "sin θ", by which the other feature is multiplied.
std::string sine_words(const ExplainTurn& turn);
// "1.2 rad, position 3 · frequency 0.4": what θ is.
std::string angle_words(const ExplainTurn& turn);

struct Explanation {
  StageId stage{};
  Index index;
  double value = 0;                // as stored: a float32
  std::string formula;             // "scores[b,h,i,j] = raw_scores[b,h,i,j] · scale"
  std::vector<ExplainStep> steps;  // never empty; the last one's value is the cell's
  std::vector<Operand> operands;   // of a sum: the two factors of a term beside each other, then the bias
  std::vector<ExplainTerm> terms;  // of a sum, in its order; keys that are not read are left out
  std::optional<ExplainTurn> turn = std::nullopt;  // where rotary positions turn the cell
  double magnitude = 0;  // Σ |terms| + |bias| of a sum, else |value|: rounding errors are relative to it
};

// Explains stage[index]; the trace has both (asserted). The last step is within 1e-5 of the stored value, relative to
// `magnitude`, and NaN when the stored value is NaN.
Explanation explain(const Trace& trace, StageId stage, const Index& index);

// "weights[0, 2, 7, 1]".
std::string cell_name(std::string_view stage, const Index& index);

// The shortest decimal that reads back to the same float32: what operands are printed as. "nan", "inf", "-inf".
std::string operand_text(double value);

// The terms of a sum, the largest |product| first (NaN before all), at most `most` of them, and the others as one sum.
struct LargestTerms {
  std::vector<ExplainTerm> terms;
  std::int64_t others = 0;
  double rest = 0;          // sum of the other products
  double rest_largest = 0;  // the largest |product| among them; NaN where one of them is
};
LargestTerms largest_terms(const Explanation& explanation, std::size_t most);

// The larger one of a size and |product|; NaN once either is.
double larger_size(double size, double product);

// "6 more keys, each at most 0.0019"; "6 more keys, some NaN" where `largest` is NaN.
std::string rest_words(const std::string& more, double largest, const std::string& largest_text);

}  // namespace headscope

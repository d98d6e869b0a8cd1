#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/explain/explain.h"

namespace headscope {

std::string cell_name(std::string_view stage, const Index& index) {
  return fmt::format("{}[{}]", stage, fmt::join(index.begin(), index.end(), ", "));
}

std::string operand_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", static_cast<float>(value));
}

std::string sine_words(const ExplainTurn& turn) {
  return turn.first ? "\u2212sin θ" : "sin θ";
}

std::string angle_words(const ExplainTurn& turn) {
  std::string words =
      fmt::format("{:.6g} rad, position {} · frequency {:.6g}", turn.angle, turn.position, turn.frequency);
  if (turn.stretch != 1) words += fmt::format("; cos and sin are multiplied by {:.6g}", turn.stretch);
  return words;
}

LargestTerms largest_terms(const Explanation& explanation, std::size_t most) {
  LargestTerms result;
  std::vector<ExplainTerm> terms = explanation.terms;
  const auto size = [](const ExplainTerm& term) {
    const double product = std::abs(term.product());
    return std::isnan(product) ? std::numeric_limits<double>::infinity() : product;
  };
  std::stable_sort(terms.begin(), terms.end(),
                   [&](const ExplainTerm& a, const ExplainTerm& b) { return size(a) > size(b); });
  const auto shown = terms.begin() + static_cast<std::ptrdiff_t>(std::min(most, terms.size()));
  result.terms.assign(terms.begin(), shown);
  for (auto term = shown; term != terms.end(); ++term) {
    ++result.others;
    result.rest += term->product();
    result.rest_largest = larger_size(result.rest_largest, term->product());
  }
  return result;
}

double larger_size(double size, double product) {
  return std::isnan(size) || std::isnan(product) ? std::numeric_limits<double>::quiet_NaN()
                                                 : std::max(size, std::abs(product));
}

std::string rest_words(const std::string& more, double largest, const std::string& largest_text) {
  return more + (std::isnan(largest) ? ", some NaN" : ", each at most " + largest_text);
}

}  // namespace headscope

#include "core/cost/cost_formula.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cost/cost_size.h"

namespace headscope {
namespace {

std::string text_of_sizes(const std::vector<CostSize>& sizes) {
  std::string text;
  for (const CostSize size : sizes) text += (text.empty() ? "" : "·") + std::string(cost_size_info(size).symbol);
  return text;
}

std::vector<CostSize> in_order(std::vector<CostSize> sizes) {
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

double value_of(const CostFormula& formula, const CostSizes& sizes) {
  double sum = 0;
  for (const CostProduct& product : formula) {
    double value = product.factor;
    for (const CostSize size : product.sizes) value *= sizes[static_cast<std::size_t>(size)];
    sum += value;
  }
  return sum;
}

std::string text_of(const CostFormula& formula) {
  std::string text;
  std::vector<double> said;
  for (const CostProduct& first : formula) {
    if (first.factor == 0 || std::find(said.begin(), said.end(), first.factor) != said.end()) continue;
    said.push_back(first.factor);
    std::string terms;
    int count = 0;
    for (const CostProduct& product : formula) {
      if (product.factor != first.factor) continue;
      terms += (count++ == 0 ? "" : " + ") + (product.sizes.empty() ? "1" : text_of_sizes(product.sizes));
    }
    text += text.empty() ? "" : " + ";
    if (first.factor == 1) {
      text += terms;
    } else {
      text += fmt::format("{}·", first.factor) + (count == 1 ? terms : "(" + terms + ")");
    }
  }
  return text.empty() ? "0" : text;
}

CostFormula gathered(const CostFormula& formula) {
  CostFormula sum;
  for (const CostProduct& product : formula) {
    if (product.factor == 0) continue;
    const auto same = std::find_if(sum.begin(), sum.end(), [&](const CostProduct& other) {
      return in_order(other.sizes) == in_order(product.sizes);
    });
    if (same == sum.end()) {
      sum.push_back(product);
    } else {
      same->factor += product.factor;
    }
  }
  return sum;
}

}  // namespace headscope

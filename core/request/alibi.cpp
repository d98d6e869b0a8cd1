#include "core/request/alibi.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/assert.h"

namespace headscope {

float alibi_slope(std::int64_t heads, std::int64_t head) {
  HEADSCOPE_ASSERT(0 <= head && head < heads, fmt::format("head {} of {}", head, heads));
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const double step = head < power ? static_cast<double>(head + 1) : static_cast<double>(head - power) + 0.5;
  return static_cast<float>(std::exp2(-8.0 * step / static_cast<double>(power)));
}

void add_alibi(const AddedRow& row, std::span<float> scores) {
  const float slope = alibi_slope(row.heads, row.head);
  for (std::size_t j = 0; j < scores.size(); ++j) {
    scores[j] -= slope * static_cast<float>(std::abs(row.position - static_cast<std::int64_t>(j)));
  }
}

std::string python_alibi(std::int64_t heads, std::int64_t, std::string_view tensor_of) {
  std::vector<double> factors;
  for (std::int64_t h = 0; h < heads; ++h) factors.push_back(-static_cast<double>(alibi_slope(heads, h)));
  return fmt::format("{}([{}])[:, None, None] * abs(i - j)", tensor_of, fmt::join(factors, ", "));
}

std::string latex_alibi(const std::string& position, std::int64_t heads, std::int64_t) {
  constexpr std::int64_t most = 16;
  std::vector<float> slopes;
  for (std::int64_t h = 0; h < std::min(heads, most); ++h) slopes.push_back(alibi_slope(heads, h));
  return fmt::format("$-s_h \\lvert {} - j \\rvert$ with $s = ({}{})$", position, fmt::join(slopes, ", "),
                     heads > most ? ", \\dots" : "");
}

}  // namespace headscope

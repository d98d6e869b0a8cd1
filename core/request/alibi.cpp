#include "core/request/alibi.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/assert.h"

namespace headscope {
namespace {

// The nearest bfloat16, of two equally near ones the even one; for finite x.
float as_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = bits + 0x7FFFU + ((bits >> 16) & 1U);
  return std::bit_cast<float>(rounded & 0xFFFF0000U);
}

std::int64_t most_of(std::int64_t size) {
  return size > 0 ? size : kAlibiMost;
}

// What multiplies |p - j|, or, of Falcon's, j.
std::vector<float> slopes_of(std::int64_t heads, std::int64_t size) {
  std::vector<float> slopes;
  for (std::int64_t h = 0; h < heads; ++h) {
    const float slope = alibi_slope(heads, h, most_of(size));
    slopes.push_back(size < 0 ? as_bfloat16(slope) : slope);
  }
  return slopes;
}

double falcon_scale(std::int64_t size) {
  return 1.0 / std::sqrt(static_cast<double>(-size));
}

}  // namespace

float alibi_slope(std::int64_t heads, std::int64_t head, std::int64_t most) {
  HEADSCOPE_ASSERT(0 <= head && head < heads, fmt::format("head {} of {}", head, heads));
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const double step = head < power ? static_cast<double>(head + 1) : static_cast<double>(head - power) + 0.5;
  return static_cast<float>(std::exp2(-static_cast<double>(most) * step / static_cast<double>(power)));
}

std::int64_t alibi_size_of_most(std::int64_t most) {
  return most == kAlibiMost ? 0 : most;
}

std::int64_t alibi_size_of_falcon(std::int64_t head_dim) {
  return -head_dim;
}

void add_alibi(const AddedRow& row, std::span<float> scores) {
  const float slope = alibi_slope(row.heads, row.head, most_of(row.size));
  if (row.size < 0) {
    const float rounded = as_bfloat16(slope);
    const auto scale = static_cast<float>(falcon_scale(row.size));
    for (std::size_t j = 0; j < scores.size(); ++j) {
      scores[j] += as_bfloat16(rounded * as_bfloat16(static_cast<float>(j))) * scale;
    }
    return;
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    scores[j] -= slope * static_cast<float>(std::abs(row.position - static_cast<std::int64_t>(j)));
  }
}

std::string python_alibi(std::int64_t heads, std::int64_t size, std::string_view tensor_of) {
  std::vector<double> factors;
  for (const float slope : slopes_of(heads, size)) {
    factors.push_back(size < 0 ? static_cast<double>(slope) : -static_cast<double>(slope));
  }
  const std::string slopes = fmt::format("{}([{}])[:, None, None]", tensor_of, fmt::join(factors, ", "));
  if (size >= 0) return slopes + " * abs(i - j)";
  // Eight bits of a number between 1 / 2 and 1 are a bfloat16's.
  const std::string_view library = tensor_of.substr(0, tensor_of.find('.'));
  const std::string rounds =
      fmt::format("(lambda x: {0}.ldexp({0}.round({0}.frexp(x)[0] * 256) / 256, {0}.frexp(x)[1]))", library);
  const std::string key = library == "torch" ? "j.float()" : "np.float32(j)";
  return fmt::format("{0}({1} * {0}({2})) * {3}", rounds, slopes, key, falcon_scale(size));
}

std::string latex_alibi(const std::string& position, std::int64_t heads, std::int64_t size) {
  constexpr std::size_t most = 16;
  std::vector<float> slopes = slopes_of(heads, size);
  const bool more = slopes.size() > most;
  slopes.resize(std::min(slopes.size(), most));
  const std::string list = fmt::format("$s = ({}{})$", fmt::join(slopes, ", "), more ? ", \\dots" : "");
  if (size < 0) return fmt::format("$s_h j / \\sqrt{{{}}}$, $s_h j$ rounded to bfloat16, with {}", -size, list);
  return fmt::format("$-s_h \\lvert {} - j \\rvert$ with {}", position, list);
}

}  // namespace headscope

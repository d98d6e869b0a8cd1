// A condition on single numbers of a matrix, as people type it: "> 0.9", "<= 0", "= 0.5", "nan", "inf", "row max".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct CellCondition {
  enum class Kind { above, at_least, below, at_most, equal, nan, infinite, plus_infinity, minus_infinity, row_max };
  Kind kind = Kind::above;
  double value = 0;  // of the first five
  friend bool operator==(const CellCondition&, const CellCondition&) = default;
};

// What can be typed, for people.
constexpr const char* kCellConditions = "> 0.9, >= 0.9, < 0, <= 0, = 0.5, nan, inf, -inf, row max";

// nullopt: the text is none. A number alone means `equal`; U+2212 is a minus.
std::optional<CellCondition> cell_condition_of(const std::string& text);

// The columns of a row whose number meets the condition, in order. `hidden` (empty: nothing is) leaves cells out, but
// for a NaN. `equal` is to the precision of float32; `row_max` are the largest finite visible ones.
std::vector<std::int64_t> matching_columns(const CellCondition& condition, std::span<const float> row,
                                           std::span<const std::uint8_t> hidden);

}  // namespace headscope

// The number format that other code computed in, recognised from its numbers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/compare/number_grid.h"

namespace headscope {

// float32, a format of fewer bits, or whole numbers of 8 bits times one factor.
struct NumberFormat {
  std::string_view name = "float32";  // as sentences have it
  std::string_view option = "f32";    // as --theirs-format has it
  const NumberGrid* grid = nullptr;   // null: float32, and 8 bits
  double step = 0;                    // above 0: numbers are whole multiples of it
  bool is_float32() const { return grid == nullptr && step == 0; }
};

// The format of fewest bits that holds every number; float32 where there is none, or where the numbers are too few or
// too alike to tell. `ours`, where it is given, of as many numbers: those that the format holds exactly in ours, too,
// say nothing (whole numbers are in every format). NaN says nothing, nor does a zero. Fewer than 16 numbers say enough
// beside `ours` alone, where each that is not simple would be on the format's grid by a small chance.
NumberFormat format_of(std::span<const float> numbers, std::span<const float> ours = {});

// The format of that name; nullopt where there is none. `numbers` give i8 its factor: the largest is 127 steps.
std::optional<NumberFormat> format_named(std::string_view option, std::span<const float> numbers,
                                         std::span<const float> ours = {});

// The numbers of float32 as a grid: how float32 rounds what it stores.
const NumberGrid& float32_grid();

}  // namespace headscope

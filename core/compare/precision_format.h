// The number formats that a layer can be computed in, and which of its numbers are rounded to one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/number_grid.h"

namespace headscope {

// Which numbers of a layer are rounded.
struct RoundedParts {
  bool inputs = false;        // what is given: vectors, weights, biases, the past
  bool storage = false;       // every stage that is computed, as it is stored
  bool accumulation = false;  // sums, after every addition, in the order of the index
  friend bool operator==(const RoundedParts&, const RoundedParts&) = default;
};

struct PrecisionFormat {
  // each_number: a number is rounded by itself.
  // operands: the two sides of a product are rounded where it is made; what is stored is float32.
  // per_token, per_channel: whole numbers from -127 to 127 times a factor, which is the largest size / 127 of a row (of
  // the last axis), or of a feature (of every head) over all batch items and rows. Weights have a factor for each
  // output feature in both; biases, norms, sinks and masks stay as they are.
  enum class Kind { each_number, operands, per_token, per_channel };

  std::string_view option;           // "f16", as --formats has it
  std::string_view name;             // "float16", as sentences have it
  std::string_view sentence;         // what it can hold
  Kind kind = Kind::each_number;     //
  const NumberGrid* grid = nullptr;  // its numbers; null: float32, or whole numbers
  bool has_infinity = true;          // else what is beyond the largest number becomes NaN
  RoundedParts can;                  // what is ever rounded to it
  bool scaled() const { return kind == Kind::per_token || kind == Kind::per_channel; }
};

// float32, float16, bfloat16, float8 e4m3 and e5m2, TF32, int8 per token and per channel, in this order.
std::span<const PrecisionFormat> precision_formats();
// The format of this option; null where there is none.
const PrecisionFormat* find_precision_format(std::string_view option);

// The nearest number of a format whose kind is not scaled, ties to even. Beyond the largest: infinite, or NaN in float8
// e4m3, which has no infinity, as torch converts.
double rounded_to(const PrecisionFormat& format, double value);

// A format, and what is rounded to it; without a format nothing is.
struct Rounding {
  const PrecisionFormat* format = nullptr;
  RoundedParts parts;
  friend bool operator==(const Rounding&, const Rounding&) = default;
};

// What is rounded, by its name in kRoundedNames. usual: inputs and storage as far as the format rounds them, with sums
// in float32, as kernels use it. all: all that the format rounds. The others: that alone.
enum class Rounded { usual, inputs, storage, accumulation, all };
constexpr std::string_view kRoundedNames[] = {"usual", "inputs", "storage", "accumulation", "all"};
Rounding rounding_of(const PrecisionFormat& format, Rounded rounded);

// Why these parts cannot be rounded to this format: "int8 per token is no format of sums: ...". "": they can.
std::string rounding_refusal(const Rounding& rounding);

// Whether what is not rounded is in float32, as in Rounded::usual; else in double, so that the error is that of the
// rounded parts alone.
bool rest_is_float32(const Rounding& rounding);
// The format that sums are in: "float32", "double", or the name of the rounding's own.
std::string_view sums_format(const Rounding& rounding);
// "inputs", "storage", "accumulation": those that are rounded.
std::vector<std::string> part_names(const RoundedParts& parts);
// Says as a sentence what is rounded and what the rest is in.
std::string rounding_sentence(const Rounding& rounding);

}  // namespace headscope

#include "core/compare/precision_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace headscope {
namespace {

const NumberGrid* grid_of(std::string_view option) {
  const std::span<const NumberGrid> grids = number_grids();
  return &*std::find_if(grids.begin(), grids.end(), [=](const NumberGrid& each) { return each.option == option; });
}

std::vector<PrecisionFormat> made_formats() {
  using Kind = PrecisionFormat::Kind;
  constexpr RoundedParts all{true, true, true}, without_sums{true, true, false}, inputs{true, false, false};
  return {
      {"f32", "float32", "24 bits of significand, 8 of exponent: what Headscope computes with.", Kind::each_number,
       nullptr, true, all},
      {"f16", "float16", "11 bits of significand, nothing above 65504.", Kind::each_number, grid_of("f16"), true, all},
      {"bf16", "bfloat16", "8 bits of significand, the range of float32.", Kind::each_number, grid_of("bf16"), true,
       all},
      {"f8e4m3", "float8 e4m3", "4 bits of significand, nothing above 448, no infinity.", Kind::each_number,
       grid_of("f8e4m3"), false, without_sums},
      {"f8e5m2", "float8 e5m2", "3 bits of significand, nothing above 57344.", Kind::each_number, grid_of("f8e5m2"),
       true, without_sums},
      {"tf32", "TF32", "11 bits of significand in both sides of a product; stored as float32.", Kind::operands,
       grid_of("tf32"), true, inputs},
      {"i8-token", "int8 per token", "Whole numbers up to 127 times a factor for each row.", Kind::per_token, nullptr,
       true, without_sums},
      {"i8-channel", "int8 per channel", "Whole numbers up to 127 times a factor for each feature.", Kind::per_channel,
       nullptr, true, without_sums},
  };
}

}  // namespace

std::span<const PrecisionFormat> precision_formats() {
  static const std::vector<PrecisionFormat> formats = made_formats();
  return formats;
}

const PrecisionFormat* find_precision_format(std::string_view option) {
  const std::span<const PrecisionFormat> formats = precision_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [=](const PrecisionFormat& each) { return each.option == option; });
  return found == formats.end() ? nullptr : &*found;
}

double rounded_to(const PrecisionFormat& format, double value) {
  if (format.grid == nullptr) return static_cast<double>(static_cast<float>(value));
  const double rounded = rounded_to(*format.grid, value);
  return std::isinf(rounded) && !format.has_infinity ? std::numeric_limits<double>::quiet_NaN() : rounded;
}

Rounding rounding_of(const PrecisionFormat& format, Rounded rounded) {
  switch (rounded) {
    case Rounded::usual:
      return {&format, {format.can.inputs, format.can.storage, false}};
    case Rounded::inputs:
      return {&format, {true, false, false}};
    case Rounded::storage:
      return {&format, {false, true, false}};
    case Rounded::accumulation:
      return {&format, {false, false, true}};
    case Rounded::all:
      break;
  }
  return {&format, format.can};
}

std::string rounding_refusal(const Rounding& rounding) {
  const PrecisionFormat& format = *rounding.format;
  const RoundedParts &parts = rounding.parts, &can = format.can;
  if (parts.storage && !can.storage) {
    return fmt::format("{} rounds the two sides of products alone: what is stored is float32, as its sums are.",
                       format.name);
  }
  if (parts.accumulation && !can.accumulation) {
    return fmt::format(
        "{} is no format of sums: what multiplies in it adds in float32. Sums can be rounded to "
        "float32, float16 and bfloat16.",
        format.name);
  }
  return "";
}

bool rest_is_float32(const Rounding& rounding) {
  return rounding.format != nullptr && rounding == rounding_of(*rounding.format, Rounded::usual);
}

std::string_view sums_format(const Rounding& rounding) {
  if (rounding.format == nullptr) return "double";
  if (rounding.parts.accumulation) return rounding.format->name;
  return rest_is_float32(rounding) ? "float32" : "double";
}

std::vector<std::string> part_names(const RoundedParts& parts) {
  std::vector<std::string> names;
  if (parts.inputs) names.push_back("inputs");
  if (parts.storage) names.push_back("storage");
  if (parts.accumulation) names.push_back("accumulation");
  return names;
}

std::string rounding_sentence(const Rounding& rounding) {
  const RoundedParts& parts = rounding.parts;
  if (rounding.format->kind == PrecisionFormat::Kind::operands) {
    return "The two sides of every product are rounded; sums and what is stored are in float32.";
  }
  if (rest_is_float32(rounding)) {
    return "Inputs, weights and stages are rounded; sums, the softmax and rotary turns are in float32.";
  }
  if (parts == RoundedParts{true, false, false}) return "Inputs and weights are rounded; the rest is in double.";
  if (parts == RoundedParts{false, true, false}) {
    return "Stages are rounded as they are stored; inputs and sums are not, and are in double.";
  }
  if (parts == RoundedParts{false, false, true}) {
    return "Sums are rounded after every addition, in the order of the index; the rest is in double.";
  }
  return "Inputs, weights and stages are rounded, and sums after every addition, in the order of the index.";
}

}  // namespace headscope

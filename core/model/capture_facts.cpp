#include "core/model/capture_facts.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

double number_of(const JsonValue& value, const std::string& what) {
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const bool read = value.kind == JsonValue::Kind::number &&
                    std::from_chars(value.text.data(), end, number).ptr == end && std::isfinite(number);
  if (!read) {
    throw Error(fmt::format("{} is {}; expected a finite number", what,
                            value.kind == JsonValue::Kind::number ? value.text : json_kind_name(value.kind)));
  }
  return number;
}

// Rows and columns of an image.
ImageGrid grid_of(const std::vector<double>& sizes, const std::string& what) {
  constexpr double kMost = 1 << 20;
  for (const double size : sizes) {
    if (size >= 1 && size <= kMost && size == std::floor(size)) continue;
    throw Error(fmt::format("{} holds {}; expected two whole numbers from 1 on, rows and columns", what, size));
  }
  if (sizes.size() != 2) {
    throw Error(fmt::format("{} holds {} numbers; expected two, rows and columns", what, sizes.size()));
  }
  return {static_cast<std::int64_t>(sizes[0]), static_cast<std::int64_t>(sizes[1])};
}

std::vector<double> numbers_of(const NpzEntry& array) {
  if (!array.holds_numbers()) throw Error(fmt::format("{} is of {}; expected numbers", array.what, array.descr));
  std::vector<double> numbers;
  for (const float value : parse_npz_array(array).tensor.values()) numbers.push_back(static_cast<double>(value));
  return numbers;
}

double only_number_of(const NpzEntry& array) {
  const std::vector<double> numbers = numbers_of(array);
  if (numbers.size() != 1 || !std::isfinite(numbers[0])) {
    throw Error(fmt::format("{} holds {} numbers{}; expected one, finite", array.what, numbers.size(),
                            numbers.size() == 1 ? ", not finite" : ""));
  }
  return numbers[0];
}

// One kind of fact: how it is written in either format.
struct FactKind {
  std::string_view name;
  void (*of_json)(CaptureFacts& facts, const JsonValue& value, const std::string& what);
  void (*of_array)(CaptureFacts& facts, const NpzEntry& array);
};

void grid_of_json(std::optional<ImageGrid>& grid, const JsonValue& value, const std::string& what) {
  std::vector<double> sizes;
  if (value.kind != JsonValue::Kind::array) {
    throw Error(fmt::format("{} is {}; expected a list of rows and columns", what, json_kind_name(value.kind)));
  }
  for (const JsonValue& item : value.items) sizes.push_back(number_of(item, what));
  grid = grid_of(sizes, what);
}

void causal_of_json(CaptureFacts& facts, const JsonValue& value, const std::string& what) {
  if (value.kind != JsonValue::Kind::boolean) {
    throw Error(fmt::format("{} is {}; expected true or false", what, json_kind_name(value.kind)));
  }
  facts.causal = value.truth;
}

void causal_of_array(CaptureFacts& facts, const NpzEntry& array) {
  const double number = only_number_of(array);
  if (number != 0 && number != 1) throw Error(fmt::format("{} is {}; expected True or False", array.what, number));
  facts.causal = number == 1;
}

const FactKind kFacts[] = {
    {"tokens", [](auto& facts, const auto& value, const auto& what) { facts.tokens.queries = token_list(value, what); },
     [](auto& facts, const auto& array) { facts.tokens.queries = parse_npz_texts(array); }},
    {"key_tokens",
     [](auto& facts, const auto& value, const auto& what) { facts.tokens.keys = token_list(value, what); },
     [](auto& facts, const auto& array) { facts.tokens.keys = parse_npz_texts(array); }},
    {"scale", [](auto& facts, const auto& value, const auto& what) { facts.scale = number_of(value, what); },
     [](auto& facts, const auto& array) { facts.scale = only_number_of(array); }},
    {"causal", causal_of_json, causal_of_array},
    {"grid", [](auto& facts, const auto& value, const auto& what) { grid_of_json(facts.grid, value, what); },
     [](auto& facts, const auto& array) { facts.grid = grid_of(numbers_of(array), array.what); }},
    {"key_grid", [](auto& facts, const auto& value, const auto& what) { grid_of_json(facts.key_grid, value, what); },
     [](auto& facts, const auto& array) { facts.key_grid = grid_of(numbers_of(array), array.what); }},
};

// The layer that a name is of, if any, and what it says of it.
std::pair<std::optional<std::int64_t>, std::string_view> fact_of(std::string_view name) {
  const auto place = layer_part_of(name);
  if (!place) return {std::nullopt, name};
  return {place->first, place->second};
}

const FactKind* kind_of(std::string_view name) {
  for (const FactKind& kind : kFacts) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace

std::optional<std::pair<std::int64_t, std::string_view>> layer_part_of(std::string_view name) {
  constexpr std::string_view prefix = "layers.";
  if (!name.starts_with(prefix)) return {};
  const std::size_t end = name.find_first_not_of("0123456789", prefix.size());
  if (end == name.npos || end == prefix.size() || name[end] != '.') return {};
  const std::string_view digits = name.substr(prefix.size(), end - prefix.size());
  // A leading zero would let two names mean one layer.
  if (digits.size() > 9 || (digits.size() > 1 && digits[0] == '0')) return {};
  return std::pair(std::int64_t{std::stoi(std::string(digits))}, name.substr(end + 1));
}

void put_fact(LayerFacts& facts, const std::string& path, const std::string& name, std::string_view json) {
  const auto [layer, part] = fact_of(name);
  const FactKind* kind = kind_of(part);
  if (kind == nullptr) return;
  const std::string what = fmt::format("{}: metadata {}", path, shortened(name));
  kind->of_json(facts.of(layer), parse_strict_json(json, what), what);
}

bool put_fact(LayerFacts& facts, const NpzEntry& array) {
  const auto [layer, part] = fact_of(array.name);
  const FactKind* kind = kind_of(part);
  if (kind == nullptr) return false;
  kind->of_array(facts.of(layer), array);
  return true;
}

bool is_mask(std::string_view name) {
  return fact_of(name).second == "mask";
}

void put_mask(LayerFacts& facts, std::string_view name, const std::string& where, const Tensor& values, bool is_whole) {
  facts.of(fact_of(name).first).mask = {values, is_whole, where};
}

}  // namespace headscope

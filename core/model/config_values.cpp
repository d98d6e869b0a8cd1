#include "core/model/config_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/message_text.h"

namespace headscope {

namespace {

// Names of one function: those that are approximated by tanh differ in how they were computed, not in what.
constexpr std::pair<std::string_view, Architecture::Activation> kSpellings[] = {
    {"gelu", Architecture::Activation::gelu},
    {"gelu_python", Architecture::Activation::gelu},
    {"gelu_new", Architecture::Activation::gelu_tanh},
    {"gelu_pytorch_tanh", Architecture::Activation::gelu_tanh},
    {"gelu_python_tanh", Architecture::Activation::gelu_tanh},
    {"gelu_tanh", Architecture::Activation::gelu_tanh},
    {"gelu_fast", Architecture::Activation::gelu_tanh},
    {"gelu_accurate", Architecture::Activation::gelu_tanh},
    {"silu", Architecture::Activation::silu},
    {"swish", Architecture::Activation::silu},
    {"relu", Architecture::Activation::relu},
    {"quick_gelu", Architecture::Activation::quick_gelu},
};

}  // namespace

Architecture::Activation activation_of(ConfigReader& reader, const char* key, Architecture::Activation otherwise) {
  const std::string name = reader.text(key, "");
  if (name.empty()) return otherwise;
  for (const auto& [spelling, activation] : kSpellings) {
    if (name == spelling) return activation;
  }
  reader.add_problem(fmt::format("{} is {}, expected gelu, gelu_new, gelu_pytorch_tanh, silu, relu or quick_gelu", key,
                                 in_quotes(name)));
  return otherwise;
}

std::optional<double> cap_of(ConfigReader& reader, const char* key, std::optional<double> otherwise) {
  if (reader.holds_null(key)) return {};
  if (reader.find(key) == nullptr) return otherwise;
  return reader.positive(key);
}

void refuse_unless_allowed(ConfigReader& reader, const Refusal& refusal) {
  const JsonValue* value = reader.find(refusal.key);
  if (value == nullptr) return;
  const std::string shown = value->kind == JsonValue::Kind::string ? value->text : shown_value(*value);
  if (std::find(refusal.allowed.begin(), refusal.allowed.end(), shown) != refusal.allowed.end()) return;
  reader.add_problem(fmt::format("{} is {}, which is not implemented; expected {}", refusal.key, shown_value(*value),
                                 fmt::join(refusal.allowed, " or ")));
}

}  // namespace headscope

#include "core/model/config_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "core/base/message_text.h"

namespace headscope {

Architecture::Activation activation_of(ConfigReader& reader, const char* key, Architecture::Activation otherwise) {
  using Activation = Architecture::Activation;
  const std::string name = reader.text(key, "");
  if (name.empty()) return otherwise;
  if (name == "gelu") return Activation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_tanh") return Activation::gelu_tanh;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "relu") return Activation::relu;
  if (name == "quick_gelu") return Activation::quick_gelu;
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

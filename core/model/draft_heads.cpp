#include "core/model/draft_heads.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace headscope {
namespace {

// How the name of a class begins and ends. NVIDIA's Eagle, EagleLlamaForCausalLM among them, reads pictures and is no
// head.
struct HeadName {
  std::string_view begin, end;
};

constexpr HeadName kHeads[] = {
    // EAGLE: Eagle3LlamaForCausalLM, LlamaForCausalLMEagle, LlamaForCausalLMEagle3.
    {"EagleModel", ""},
    {"EAGLEModel", ""},
    {"Eagle3", "ForCausalLM"},
    {"Eagle", "Speculator"},
    {"", "ForCausalLMEagle"},
    {"", "ForCausalLMEagle3"},
    {"Medusa", ""},
    {"MLPSpeculator", ""},
    // Layers that predict further tokens, kept in a folder of their own.
    {"", "ForCausalLMNextN"},
    {"", "MTPModel"},
};

bool is_head(std::string_view name) {
  return std::any_of(std::begin(kHeads), std::end(kHeads), [&](const HeadName& head) {
    return name.starts_with(head.begin) && name.ends_with(head.end) &&
           name.size() >= head.begin.size() + head.end.size();
  });
}

}  // namespace

std::string_view draft_head(const JsonValue& config) {
  const JsonValue* classes = config.kind == JsonValue::Kind::object ? config.find("architectures") : nullptr;
  if (classes == nullptr || classes->kind != JsonValue::Kind::array) return "";
  for (const JsonValue& each : classes->items) {
    if (each.kind == JsonValue::Kind::string && is_head(each.text)) return each.text;
  }
  return "";
}

}  // namespace headscope

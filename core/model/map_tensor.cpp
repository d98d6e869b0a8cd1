#include "core/model/map_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "core/model/config_reader.h"

namespace headscope {

std::optional<MapTensor> map_tensor_of(const std::string& key, bool in_layer, const JsonValue& value,
                                       std::vector<std::string>& problems) {
  constexpr std::string_view layer_mark = "{layer}";
  const auto refuse = [&](const std::string& sentence) -> std::optional<MapTensor> {
    problems.push_back(fmt::format("tensors: {}{}", key, sentence));
    return std::nullopt;
  };
  const bool object = value.kind == JsonValue::Kind::object;
  const JsonValue* const name = object ? value.find("name") : &value;
  const JsonValue* const stored = object ? value.find("stored") : nullptr;
  if (object && (name == nullptr || stored == nullptr || value.keys.size() != 2)) {
    return refuse(" is an object, expected one of \"name\" and \"stored\"");
  }
  const bool marked = name->text.find(layer_mark) != name->text.npos;
  if (name->kind != JsonValue::Kind::string || marked != in_layer) {
    return refuse(fmt::format(" is {}, expected the name of a tensor {} {{layer}}, the layer's number",
                              shown_value(*name), in_layer ? "with" : "without"));
  }
  if (stored == nullptr) return MapTensor{name->text, std::nullopt};
  const std::optional<StoredLayout::Kind> kind = stored_layout_of(stored->text);
  if (!kind || stored->kind != JsonValue::Kind::string) {
    return refuse(
        fmt::format(": stored is {}, expected {}", shown_value(*stored), fmt::join(stored_layout_words(), ", ")));
  }
  return MapTensor{name->text, StoredLayout{*kind, key.starts_with("output.")}};
}

}  // namespace headscope

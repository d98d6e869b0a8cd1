#include "core/model/gguf_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace headscope {

std::string GgufMetadata::key(std::string_view name) const {
  return fmt::format("{}.{}", row_.name, name);
}

void GgufMetadata::refuse(std::string_view name, const std::string& sentence) const {
  file_.refuse(key(name), sentence);
}

const GgufTensor* GgufMetadata::tensor(std::string_view name) const {
  const auto& all = file_.header().tensors;
  const auto at = std::lower_bound(all.begin(), all.end(), name,
                                   [](const GgufTensor& each, std::string_view of) { return each.name < of; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

std::optional<std::int64_t> GgufMetadata::size(std::string_view name) const {
  const GgufField* field = file_.header().find(key(name));
  if (field == nullptr || field->kind != GgufField::Kind::list) return whole(name);
  const std::vector<double> values = *file_.numbers(key(name));
  for (const double value : values) {
    if (!(value >= 0 && value < 1e15) || value != values.front()) {
      refuse(name, "differs from layer to layer, which is not implemented");
    }
  }
  if (values.empty()) refuse(name, "is an empty list; expected a number");
  return static_cast<std::int64_t>(values.front());
}

}  // namespace headscope

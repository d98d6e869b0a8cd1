#include "core/model/family.h"

#include <algorithm>

#include "core/model/body_prefix.h"

namespace headscope {
std::span<const std::string_view> body_prefixes() {
  static const std::vector<std::string_view> texts = [] {
    std::vector<std::string_view> all;
    for (const BodyPrefix& prefix : named_body_prefixes()) all.push_back(prefix.text);
    return all;
  }();
  return texts;
}

std::vector<FamilyType> family_types() {
  std::vector<FamilyType> types;
  for (const Family& row : families()) {
    for (const std::string_view name : row.model_types) {
      const auto same = [&](const FamilyType& type) { return type.model_type == name; };
      if (std::none_of(types.begin(), types.end(), same)) types.push_back({name, &row});
    }
  }
  return types;
}

}  // namespace headscope

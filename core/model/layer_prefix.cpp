#include "core/model/layer_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/config_reader.h"
#include "core/model/layer_schemes.h"

namespace headscope {
std::vector<std::string> layer_prefixes(const std::vector<std::string>& tensors) {
  std::set<std::string> found;
  for (const std::string& name : tensors) {
    for (const NameScheme& scheme : layer_schemes()) {
      const std::string telling = required_names(scheme).front();
      if (!name.ends_with(telling)) continue;
      const std::string prefix = name.substr(0, name.size() - telling.size());
      if (prefix.empty() || prefix.back() == '.') found.insert(prefix);
    }
  }
  return {found.begin(), found.end()};
}

std::string only_layer_prefix(const std::vector<std::string>& tensors, const std::string& source) {
  const std::vector<std::string> found = layer_prefixes(tensors);
  // A file that is a layer itself says which of its tensors it does not know.
  if (found.empty() || found.front().empty()) return "";
  if (found.size() == 1) return found.front();
  std::vector<std::string> shown;
  for (const std::string& prefix : found) shown.push_back(shortened(prefix.substr(0, prefix.size() - 1)));
  throw Error(
      fmt::format("{}: holds {} attention layers: {}; expected one: in Python, those tensors whose names begin with "
                  "one of them and a "
                  "dot, saved as a dictionary without this beginning",
                  source, found.size(), first_ten(shown)));
}

std::vector<std::string> names_behind(const std::string& prefix, const std::vector<std::string>& tensors) {
  std::vector<std::string> names;
  for (const std::string& name : tensors) {
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  }
  return names;
}

}  // namespace headscope

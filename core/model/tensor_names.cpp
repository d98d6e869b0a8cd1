#include "core/model/tensor_names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace headscope {

LayeredName layered_name(const std::string& name) {
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    const bool starts =
        (begin == 0 || name[begin - 1] == '.' || name[begin - 1] == '_') && name[begin] >= '0' && name[begin] <= '9';
    if (!starts) continue;
    std::size_t end = begin;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    if (end == name.size() || (name[end] != '.' && name[end] != '_') || end - begin > 5) continue;
    LayeredName parts{name.substr(0, begin), 0, name.substr(end)};
    std::from_chars(name.data() + begin, name.data() + end, parts.layer);
    return parts;
  }
  return {name, -1, ""};
}

ModuleName module_name(const std::string& name) {
  static constexpr std::array<const char*, 4> weights = {"weight", "gamma", "scale", "kernel"};
  static constexpr std::array<const char*, 2> biases = {"bias", "beta"};
  const std::size_t dot = name.find_last_of("._");
  const std::string last = dot == name.npos ? name : name.substr(dot + 1);
  const auto is_last = [&](const char* word) { return last == word; };
  if (dot == name.npos) return {name, false};
  if (std::any_of(biases.begin(), biases.end(), is_last)) return {name.substr(0, dot), true};
  if (std::any_of(weights.begin(), weights.end(), is_last)) return {name.substr(0, dot), false};
  return {name, false};
}

}  // namespace headscope

#include "core/model/numbered_tensors.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace headscope {
namespace {

constexpr const char* kDigits = "0123456789";

// A name around its first number; `number` -1 where it has none.
struct Numbered {
  std::string around;
  long number = -1;
};

Numbered numbered(const std::string& name) {
  constexpr std::size_t most = 6;
  const std::size_t begin = name.find_first_of(kDigits);
  if (begin == name.npos) return {name, -1};
  const std::size_t end = std::min(name.find_first_not_of(kDigits, begin), name.size());
  // A leading zero would let two names mean one layer.
  if (end - begin > most || (name[begin] == '0' && end - begin > 1)) return {name, -1};
  return {name.substr(0, begin) + "#" + name.substr(end), std::stol(name.substr(begin, end - begin))};
}

}  // namespace

std::vector<const TensorEntry*> numbered_tensors(const TensorFile& file) {
  std::vector<const TensorEntry*> layers(file.entries.size(), nullptr);
  for (const TensorEntry& entry : file.entries) {
    const Numbered name = numbered(entry.name), first = numbered(file.entries.front().name);
    const std::size_t axes = entry.shape.size();
    const bool fits = (axes == 3 || axes == 4) && axes == file.entries.front().shape.size();
    const auto at = static_cast<std::size_t>(name.number);
    if (!fits || name.number < 0 || name.around != first.around || at >= layers.size() || layers[at] != nullptr)
      return {};
    layers[at] = &entry;
  }
  return layers;
}

}  // namespace headscope

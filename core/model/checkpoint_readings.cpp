#include "core/model/checkpoint_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "core/model/checkpoint.h"

namespace headscope {
namespace {

constexpr std::string_view kDigits = "0123456789";

// The number of the layer that a tensor is of, which the model does not have; -1: it is of none.
std::int64_t layer_beyond(const std::string& tensor, const Checkpoint& checkpoint) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t begin = 0;
  while (begin < tensor.size()) {
    const std::size_t end = std::min(tensor.find('.', begin), tensor.size());
    const std::string_view part = std::string_view(tensor).substr(begin, end - begin);
    if (!part.empty() && part.size() <= kMostDigits && part.find_first_not_of(kDigits) == part.npos) {
      const std::int64_t layer = std::stoll(std::string(part));
      // The first layer has the same: the number is that of a layer.
      const std::string of_first = tensor.substr(0, begin) + "0" + tensor.substr(end);
      return layer >= checkpoint.architecture().num_layers && checkpoint.holds(of_first) ? layer : -1;
    }
    begin = end + 1;
  }
  return -1;
}

}  // namespace

std::vector<std::string> checkpoint_readings(const Checkpoint& checkpoint) {
  std::vector<std::string> readings;
  const Architecture& architecture = checkpoint.architecture();
  std::set<std::int64_t> beyond;
  for (const std::string& tensor : checkpoint.unexpected()) {
    if (const std::int64_t layer = layer_beyond(tensor, checkpoint); layer >= 0) beyond.insert(layer);
    const bool head = tensor.find("lm_head") != tensor.npos && tensor.ends_with(".weight");
    if (!head || !architecture.tied_embeddings) continue;
    readings.push_back(
        fmt::format("{}: {} differs from the word embedding, which is used in its place, because the configuration "
                    "ties them (tie_word_embeddings)",
                    checkpoint.path(), tensor));
  }
  if (!beyond.empty()) {
    const std::int64_t used = architecture.num_layers, all = used + std::ssize(beyond);
    readings.push_back(fmt::format("{}: {} of the {} layers in its files {} used, as many as config.json says",
                                   checkpoint.path(), used, all, used == 1 ? "is" : "are"));
  }
  return readings;
}

}  // namespace headscope

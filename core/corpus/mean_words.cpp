#include "core/corpus/mean_words.h"

#include <algorithm>

namespace headscope {

std::string mean_words(const std::string& key) {
  std::string words = key;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

const char* mean_unit(const std::string& key) {
  if (key == "entropy") return "bits";
  if (key == "distance") return "tokens";
  return key == "loss_ablated" ? "nats" : "";
}

std::string mean_title(const std::string& key) {
  const std::string unit = mean_unit(key);
  return "mean " + mean_words(key) + (unit.empty() ? unit : ", " + unit);
}

}  // namespace headscope

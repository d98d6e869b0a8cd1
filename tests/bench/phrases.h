// Phrases for measurements.
#pragma once

#include <cstdint>
#include <string>

namespace headscope {

// So many different words: "w0 w1 w2 ".
inline std::string phrase_of(std::int64_t words) {
  std::string phrase;
  for (std::int64_t i = 0; i < words; ++i) phrase += 'w' + std::to_string(i) + ' ';
  return phrase;
}

}  // namespace headscope

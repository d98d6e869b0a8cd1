// The small request that the cases of REQUEST's options begin from.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/app/cli/command.h"

namespace headscope {

inline const std::vector<std::string> kSmall = {"--phrase", "a b c d", "--d-model", "16", "--heads", "4"};

// kSmall and more words after it.
inline std::vector<std::string> small_with(std::initializer_list<std::string> more) {
  std::vector<std::string> words = kSmall;
  words.insert(words.end(), more);
  return words;
}

// The number of batch b, head h, row i, column j.
inline float at4(const Tensor& t, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  return t.at({b, h, i, j});
}

// Its cases are in the files request*_test.cpp beside this one.
class RequestOptions : public CommandTest {};

}  // namespace headscope

// A token of the vocabulary with a number.
#pragma once

#include <cstdint>

namespace headscope {

struct TokenScore {
  std::int64_t id = 0;
  double value = 0;
};

}  // namespace headscope

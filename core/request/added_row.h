// The row of scores that a mask term adds to.
#pragma once

#include <cstdint>

namespace headscope {

// Query `position` (counted from the aligned diagonal) of one head of `heads`.
struct AddedRow {
  std::int64_t head = 0, heads = 1;
  std::int64_t position = 0;
  std::int64_t size = 0;  // the term's number
};

}  // namespace headscope

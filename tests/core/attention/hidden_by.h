// What a request hides, for tests of masks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/request/mask.h"
#include "core/request/request.h"

namespace headscope {

// Of one batch item and one head, without mask files.
inline HiddenCells hidden_by(const Request& request, std::int64_t query_len, std::int64_t key_len) {
  return build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = query_len, .key_len = key_len}).hidden;
}

// Row by row, 1 = hidden.
inline std::vector<std::uint8_t> cells_of(const HiddenCells& hidden) {
  std::vector<std::uint8_t> cells;
  for (std::int64_t i = 0; i < hidden.query_len(); ++i) {
    for (std::int64_t j = 0; j < hidden.key_len(); ++j) cells.push_back(hidden.hidden(0, 0, i, j) ? 1 : 0);
  }
  return cells;
}

}  // namespace headscope

// Linear maps whose rows are some rows of a matrix that holds more, in another order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/backend/linear.h"

namespace headscope {

// The map of `rows` rows whose row r is row row_of(r) of `stored`, with their biases. The matrix is computed when it is
// read. Its names are those of `stored` with `part` in brackets: rows count in the part, not in the file.
Linear picked_rows(const Linear& stored, std::int64_t rows, const std::string& part,
                   std::function<std::int64_t(std::int64_t row)> row_of);

// Queries, keys and values of a projection whose rows stand in `groups` groups, [q_h .. k_g v_g] of each: the heads of
// queries that share a key, that key, its value (Architecture::FusedRows::grouped).
struct UngroupedRows {
  Linear query, key, value;
};
UngroupedRows ungrouped_rows(const Linear& stored, std::int64_t groups, std::int64_t head_dim);

}  // namespace headscope

// Which head and token every block of one head's width really comes from: in concat, and in query, key and value when a
// fused projection is split.
#pragma once

#include <cstdint>
#include <optional>

#include "core/attention/projection_steps.h"
#include "core/attention/trace.h"

namespace headscope {

struct BlockOrigin {
  std::int64_t head = 0;
  std::int64_t token = -1;   // of a block of concat; -1 for a block of a projection
  std::optional<Part> part;  // of a block of a projection; nullopt for a block of concat
  friend bool operator==(const BlockOrigin&, const BlockOrigin&) = default;
};

// The blocks of `stage` as a grid: of concat a row for every position, of query, key and value (and the stages that
// they are split from) one row for each of the three; a column for every head. nullopt for other stages, and for
// projections that are not fused.
struct BlockGrid {
  std::int64_t rows = 0, columns = 0;
  bool of_concat = false;
};
std::optional<BlockGrid> block_grid(const Trace& trace, StageId stage);

// The origin of a block. In concat [position, head slot]: provenance_of. In a projection [part, head slot]: the part
// and head for which the rows of the file that are read there were trained.
BlockOrigin block_origin(const Trace& trace, StageId stage, std::int64_t row, std::int64_t column);

// How the block grids of two traces differ: how many blocks of `wrong` are in their right place, and how mixed its rows
// are.
struct BlockComparison {
  std::int64_t blocks = 0, in_place = 0;
  bool first_in_place = false, last_in_place = false;
  std::int64_t least_tokens = 0, most_tokens = 0, least_heads = 0,
               most_heads = 0;  // different ones in a row of `wrong`
};
BlockComparison compare_blocks(const Trace& right, const Trace& wrong, StageId stage);

}  // namespace headscope

// The cells of one matrix that meet a condition, found strip by strip: how many each row has. Which they are is read
// from a single row when it is wanted, so that a billion matches take no room.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/background/maps/map_picture.h"
#include "app/session/background/work/latest_work.h"
#include "core/request/mask.h"
#include "core/tensor/cell_condition.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct CellSearchQuery {
  MapKey key;
  Tensor matrix;                     // [rows, columns]
  std::shared_ptr<const Mask> mask;  // null: nothing is hidden
  CellCondition condition;
  friend bool operator==(const CellSearchQuery& a, const CellSearchQuery& b) {
    return a.key == b.key && a.condition == b.condition;
  }
};

// Of the first rows.size() rows.
struct CellMatches {
  std::vector<std::int64_t> rows;  // how many each row has
  std::int64_t count = 0;
};

using CellSearches = LatestWork<CellSearchQuery, CellMatches>;

// Publishes what it has from time to time; throws Cancelled.
CellMatches find_cells(const CellSearchQuery& query, const CancelToken& cancel, const CellSearches::Publish& publish);

// One match: its cell, and its number among all, from 0 in the order of reading.
struct CellMatch {
  std::int64_t row = 0, column = 0, number = 0;
};

// The first match behind (or before) the cell, going on at the other end; without a cell the first (or last). nullopt:
// there is none. Reads at most three rows.
struct CellFrom {
  std::optional<std::int64_t> row, column;
};
std::optional<CellMatch> next_match(const CellSearchQuery& query, const CellMatches& matches, const CellFrom& from,
                                    bool forward);

}  // namespace headscope

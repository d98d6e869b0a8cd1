// How the cells of a sweep lie in a map, and what they are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sweep/sweep_cells.h"

namespace headscope {

// How the cells of a patch lie in a map.
struct SweepMapInfo {
  SweepPatch patch = SweepPatch::heads;
  const char* row_word = "";     // "layer", "stage"
  const char* column_word = "";  // "head", "position", "layer"
  const char* words = "";        // a sentence on rows and columns; "" of paths, which have their ends
  std::string (*row)(const SweepCell& cell) = nullptr;
  std::int64_t (*column)(const SweepCell& cell) = nullptr;
};
const SweepMapInfo& sweep_map_info(SweepPatch patch);

// heads, positions, neurons: a row a layer, a column a head, position or neuron; stages, mlps: a row a stage, a column
// a layer; heads_positions: a row a head of a layer, a column a position; head_parts: a row a part of a layer, a column
// a head; paths: a row a stage (query, key, value) of every later layer, or of the one that they end in for every
// earlier layer, a column a head.
struct SweepMap {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::string> row_names;  // "layer 1", "weights", "layer 1 query", "layer 0 to query"
  std::string row_word, column_word;   // "layer", "stage"; "head", "position", "layer"
  // The place in Sweep::cells; nullopt where there is none: fewer heads of keys and values than of queries.
  std::optional<std::size_t> cell(std::int64_t row, std::int64_t column) const;

  std::vector<std::int64_t> cells;  // [rows * columns], -1: none
};

SweepMap sweep_map(const Sweep& sweep);

// "layer 1, head 7"; "layer 0, position 4 cat", with the token that `tokens` has there; "layer 1, head 7, position 4
// cat"; "layer 1, weights"; "layer 1, head 7, key"; "layer 1, neuron 12"; "layer 0, head 4, into query of layer 1, head
// 7".
std::string sweep_cell_name(const SweepCell& cell, const std::vector<std::string>& tokens);

// value - unpatched, or the estimate less that.
inline double change_of(const Sweep& sweep, const SweepCell& cell, bool estimated) {
  return (estimated ? cell.estimate.value() : cell.value) - sweep.unpatched;
}

// Of the first `known` cells the first of those that change most, by finite numbers; null: none changes anything.
const SweepCell* farthest_cell(const Sweep& sweep, std::size_t known, bool estimated);

}  // namespace headscope

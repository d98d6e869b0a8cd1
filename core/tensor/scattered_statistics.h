// Summary numbers of values that come in any order, from several threads.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "core/tensor/statistics.h"

namespace headscope {

// Gathers parts of a tensor as they come and gives them to a StatisticsSum in row-major order, so that no bit depends
// on the order or the threads. It holds 56 bytes for each block of values and at most two unfinished blocks for each
// gap between the parts that have come.
class ScatteredStatistics {
 public:
  // `sum` has the values of the places 0 ... first - 1.
  ScatteredStatistics(StatisticsSum& sum, std::int64_t first) : sum_(sum), next_(first) {}

  // The values at the places first, first + 1, ... in row-major order. Each place may come once, those before the first
  // never. Safe to call from several threads at once.
  void add(std::int64_t first, std::span<const float> values);

  // How many places have been given to the sum, from place 0 on: all that came, when none is missing between them.
  std::int64_t summed() const;

 private:
  // Places that follow one another. Blocks begin at multiples of kStatisticsBlock: those that lie within it are summed,
  // the values before the first and after the last of them are kept.
  struct Piece {
    std::int64_t end = 0;
    bool meets_block =
        false;  // whether a block begins or ends within it or at its ends; else all values are in `before`
    std::vector<float> before, after;
    std::list<std::vector<StatisticsBlock>> blocks;  // in their order; lists are joined without a copy
  };
  static Piece piece_of(std::int64_t first, std::span<const float> values);
  static Piece joined(Piece left, Piece right);
  void give(Piece piece);

  StatisticsSum& sum_;
  mutable std::mutex mutex_;  // guards what follows and the sum
  std::int64_t next_;
  std::map<std::int64_t, Piece> waiting_;  // by their first place; no two touch
};

}  // namespace headscope

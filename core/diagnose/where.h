// Where two tensors differ, as a sentence and as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

// Counts of what differs between ours and theirs. Each list names the places with a cell that differs, in order.
struct Where {
  std::int64_t cells = 0, of_cells = 0;
  std::vector<std::int64_t> batches, heads, rows, columns;  // heads: empty where the stage has none
  std::vector<std::int64_t> diagonals;  // i - j of score-like stages, i counted from the first key; else empty
  std::int64_t nan = 0, infinite = 0;   // cells of theirs that are NaN, or infinite, and ours not
  Index first;                          // the first cell; empty where none differs
  double ours = 0, theirs = 0;          // its two numbers
  std::vector<std::int64_t> places;     // of the cells, row-major and in order; of very many some, at most kMostPlaces
  std::string sentence;                 // "" where none differs
};

constexpr std::size_t kMostPlaces = std::size_t{1} << 16;

// Counts cells in row-major order and words what it counted.
class WhereFinder {
 public:
  // `heads`: how many heads the features of a stage of three axes are of, 0 where they are of none. `name`: what the
  // sentence calls it; "": the stage's name.
  WhereFinder(StageId stage, Shape shape, std::int64_t heads, std::string_view name = {});
  void add(const Index& at, double ours, double theirs);
  // The rows that hold a cell that differs.
  std::vector<std::int64_t> rows() const;
  // The counts, and the sentence. `past`: how many keys stand before the text's own.
  Where found(std::int64_t past) const;

 private:
  StageId stage_;
  std::string_view name_;
  Shape shape_;
  std::int64_t heads_;
  Where where_;
  std::vector<std::int64_t> batch_, head_, row_, column_, diagonal_;  // cells that differ, for each place
};

}  // namespace headscope

// How far a number may lie from the right one and still be it: by what rounding costs in its stage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/number_format.h"

namespace headscope {

// Whether the cell of that place, in row-major order, is no computed number: a score that a mask hides.
using IsFilled = std::function<bool(std::size_t place)>;

class Tolerance {
 public:
  // float32: each cell may be kFloat32Share of its row's root mean square away, and two steps of the number itself. A
  // format of fewer bits: as far as rounding every stage to it moves cells here, `rounded` beside `exact`, in shares of
  // their rows, and half a step of the number itself. `fixed`: every cell that much.
  Tolerance(const NumberFormat& format, std::optional<double> fixed, const WideStage& exact, const WideStage& rounded,
            const IsFilled& filled);

  // Allows what moves a cell that far besides, in shares of its row: what stood before the stage is not known exactly.
  void allow(double share);
  // Allows that share of its row itself.
  void allow_share(double share) { share_ = std::max(share_, share); }

  // Allows each cell of a stage that far besides, row-major (rounding_allowance.h); of other stages none.
  void allow_cells(std::vector<double> cells) { cells_ = std::move(cells); }
  bool knows_cells() const { return !cells_.empty(); }
  double of_rounding(std::size_t place) const { return place < cells_.size() ? cells_[place] : 0; }

  // Returns how far a cell may lie away that holds `right` in a row whose root mean square is `size`.
  double of(double right, double size) const;
  // Returns how far the cell of that place, row-major, may lie away.
  double of(std::size_t place, double right, double size) const;

  static constexpr double kFloat32Share = 5e-5;

 private:
  NumberFormat format_;
  std::optional<double> fixed_;
  double share_ = kFloat32Share;
  std::vector<double> cells_;
};

// Whether a score is what code writes in place of hidden ones, -1e4 say, or lies as low as that.
inline bool is_fill(double score) {
  return score <= -1e3;
}

// The largest |exact - moved| of a cell in shares of the size of its row; 0 where the shapes differ.
double largest_share(const WideStage& exact, const WideStage& moved, const IsFilled& filled);

// The root mean square of the computed, finite cells of a row that begins at `first`. With `filled`, of scores, those
// that hold a fill count for nothing.
double row_size(const WideStage& stage, std::size_t first, const IsFilled& filled);

// The difference that remains between a prediction and theirs is counted in cells and in squares.
struct Remainder {
  std::int64_t wrong = 0;  // cells further away than allowed
  double squares = 0, size = 0,
         largest = 0;       // sums over cells; infinite where one is NaN or infinite and the other not
  double allowed = 0;       // the most that any cell may be away
  double rounding = 0;      // the sum of Tolerance::of_rounding() squared, where it is known
  bool leans = false;       // what remains is no rounding, though no cell is too far away (leftover_lean.h)
  double residual() const;  // root of squares / size
};

// How a comparison goes through the rows.
struct RowPass {
  // It gets the place of every wrong cell with both numbers, in order, one after the other; it may be empty.
  std::function<void(std::size_t, double, double)> visit;
  // Its threads share the rows; null: there is one thread. The sums are the same for any number of them.
  ThreadPool* pool = nullptr;
};

// Compares row by row. `other` is a second right answer, of the same shape, that counts as well; null: none.
Remainder compare_stage(const WideStage& right, const WideStage* other, const WideStage& theirs,
                        const Tolerance& tolerance, const IsFilled& filled, const RowPass& pass = {});

}  // namespace headscope

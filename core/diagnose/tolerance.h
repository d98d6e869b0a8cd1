// How far a number may lie from the right one and still be it: by what rounding costs in its stage.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

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

  // Returns how far a cell may lie away that holds `right` in a row whose root mean square is `size`.
  double of(double right, double size) const;

  static constexpr double kFloat32Share = 5e-5;

 private:
  NumberFormat format_;
  std::optional<double> fixed_;
  double share_ = kFloat32Share;
};

// The root mean square of the computed, finite cells of a row that begins at `first`.
double row_size(const WideStage& stage, std::size_t first, const IsFilled& filled);

// The difference that remains between a prediction and theirs is counted in cells and in squares.
struct Remainder {
  std::int64_t wrong = 0;  // cells further away than allowed
  double squares = 0, size = 0,
         largest = 0;       // sums over cells; infinite where one is NaN or infinite and the other not
  double allowed = 0;       // the most that any cell may be away
  double residual() const;  // root of squares / size
};

// Compares row by row. `visit`, where it is given, gets the place of every wrong cell with both numbers. `other` is a
// second right answer, of the same shape, that counts as well; null: none.
Remainder compare_stage(const WideStage& right, const WideStage* other, const WideStage& theirs,
                        const Tolerance& tolerance, const IsFilled& filled,
                        const std::function<void(std::size_t, double, double)>& visit = {});

}  // namespace headscope

// Products of a layer whose two sides, sums and results are rounded. Internal to core/compare.
#pragma once

#include <cstdint>

#include "core/base/cancel.h"
#include "core/compare/rounder.h"
#include "core/compare/wide_stage.h"
#include "core/model/inputs.h"

namespace headscope {

// `Real`, float or double, is what is not rounded. Throws Cancelled. `cancel` must live as long.
template <typename Real>
class RoundedProducts {
 public:
  RoundedProducts(const Rounder& rounder, const CancelToken& cancel) : rounder_(rounder), cancel_(cancel) {}

  // A matrix of stored numbers, row-major.
  struct Side {
    const double* values;
    std::int64_t rows, columns;
  };
  // left · rightᵀ, or left · right, row-major, stored from `to` on.
  void store_transposed(const Side& left, const Side& right, double* to) const;
  void store_product(const Side& left, const Side& right, double* to) const;
  // x · weightᵀ + bias, [batch, len, out].
  WideStage projected(const WideStage& x, const Linear& linear) const;

 private:
  const Rounder rounder_;
  const CancelToken& cancel_;
};

}  // namespace headscope

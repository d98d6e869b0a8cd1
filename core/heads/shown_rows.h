// The arithmetic between computed weights and shown ones, row by row: the only place where it is done.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/heads/token_groups.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Of a matrix [query, key] of weights w, with the value norms n of its keys (empty: all 1) and the groups of its
// tokens, in double:
//   1. v[i, j] = w[i, j] n[j]; 0 where w is 0, whatever the key's value holds
//   2. m[r, c] = mean over i in rows[r] of sum over j in columns[c] of v[i, j]
//   3. top_p < 1: of row r the smallest set of columns whose m, the largest first and of equal ones the first, sum to
//   at
//      least top_p · sum_c m[r, c] stays, and the others are 0; a row whose sum is not above 0 stays as it is
//   4. renormalise: m[r, c] / sum_c m[r, c]; a row whose sum is 0 stays as it is
// A row with NaN is NaN in the columns that hold it after 2, and after 4 everywhere. Each result is a float32; the
// numbers of a row do not depend on which part of it is read.
struct ShownRows {
  Showing view;
  std::shared_ptr<const TokenGroups> groups;

  std::int64_t rows() const { return static_cast<std::int64_t>(groups->rows.size()); }
  std::int64_t columns() const { return static_cast<std::int64_t>(groups->columns.size()); }
  // m of these rows and columns, row-major. At most 16 MiB of `matrix` are held at a time (one row, if that is longer).
  void read(const Tensor& matrix, std::span<const double> norms, Range row_range, Range column_range,
            std::span<float> out) const;
};

// All of m, whose cells have their weighting already (it is not applied); empty where no row or no column is left.
Tensor by_groups(const Tensor& matrix, const TokenGroups& groups, const Showing& view);

}  // namespace headscope

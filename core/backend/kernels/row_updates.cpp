#include "core/backend/kernels/row_updates.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/row_updates.cpp"
#include "hwy/foreach_target.h"

#include "core/backend/kernels/micro_kernel-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {

constexpr int kRowsTogether = 4;
// Rows of heads lie thousands of bytes apart, where the processor does not see them coming.
constexpr std::int64_t kRowsAhead = 8;

HWY_INLINE void fetch_row(const StridedRows& rows, std::int64_t i) {
  if (i >= rows.count) return;
  const float* row = rows.rows + i * rows.stride;
  for (std::int64_t d = 0; d < rows.features; d += 16) hwy::Prefetch(row + d);
}

HWY_INLINE float sum_of_lanes(FloatVector v) {
  return hn::GetLane(hn::SumOfLanes(FloatTag(), v));
}

// Rows i ... i + together - 1 times one or two vectors.
template <int together, bool two>
HWY_INLINE void products_of_rows(const StridedRows& rows, std::int64_t i, const float* first, const float* second,
                                 float* first_out, float* second_out) {
  const FloatTag d;
  FloatVector sums[together], others[together];
  for (int r = 0; r < together; ++r) sums[r] = others[r] = hn::Zero(d);
  const float* row = rows.rows + i * rows.stride;
  std::int64_t k = 0;
  for (; k + kLanes <= rows.features; k += kLanes) {
    const FloatVector a = hn::LoadU(d, first + k);
    const FloatVector b = two ? hn::LoadU(d, second + k) : a;
    for (int r = 0; r < together; ++r) {
      const FloatVector x = hn::LoadU(d, row + r * rows.stride + k);
      sums[r] = hn::MulAdd(x, a, sums[r]);
      if (two) others[r] = hn::MulAdd(x, b, others[r]);
    }
  }
  for (int r = 0; r < together; ++r) {
    float sum = sum_of_lanes(sums[r]);
    float other = two ? sum_of_lanes(others[r]) : 0.0F;
    for (std::int64_t rest = k; rest < rows.features; ++rest) {
      sum += row[r * rows.stride + rest] * first[rest];
      if (two) other += row[r * rows.stride + rest] * second[rest];
    }
    first_out[i + r] = sum;
    if (two) second_out[i + r] = other;
  }
}

template <bool two>
void products(const StridedRows& rows, const float* first, const float* second, float* first_out, float* second_out) {
  std::int64_t i = 0;
  for (; i + kRowsTogether <= rows.count; i += kRowsTogether) {
    for (int r = 0; r < kRowsTogether; ++r) fetch_row(rows, i + kRowsAhead + r);
    products_of_rows<kRowsTogether, two>(rows, i, first, second, first_out, second_out);
  }
  for (; i < rows.count; ++i) products_of_rows<1, two>(rows, i, first, second, first_out, second_out);
}

void multiply_by_vectors(const StridedRows& rows, const float* first, const float* second, float* first_out,
                         float* second_out) {
  if (second == nullptr) {
    products<false>(rows, first, second, first_out, second_out);
  } else {
    products<true>(rows, first, second, first_out, second_out);
  }
}

// Features [k, k + vectors * kLanes) of the weighted sum.
template <int vectors>
HWY_INLINE void add_features(const StridedRows& rows, const float* weights, std::int64_t k, float* out) {
  const FloatTag d;
  FloatVector sums[vectors];
  for (int v = 0; v < vectors; ++v) sums[v] = hn::LoadU(d, out + k + v * kLanes);
  for (std::int64_t j = 0; j < rows.count; ++j) {
    const float* row = rows.rows + j * rows.stride + k;
    if (j + kRowsAhead < rows.count) {
      const float* ahead = row + kRowsAhead * rows.stride;
      for (std::int64_t part = 0; part < vectors * kLanes; part += 16) hwy::Prefetch(ahead + part);
    }
    const FloatVector weight = hn::Set(d, weights[j]);
    for (int v = 0; v < vectors; ++v) sums[v] = hn::MulAdd(weight, hn::LoadU(d, row + v * kLanes), sums[v]);
  }
  for (int v = 0; v < vectors; ++v) hn::StoreU(sums[v], d, out + k + v * kLanes);
}

void add_weighted(const StridedRows& rows, const float* weights, float* out) {
  std::int64_t k = 0;
  for (; k + 4 * kLanes <= rows.features; k += 4 * kLanes) add_features<4>(rows, weights, k, out);
  for (; k + kLanes <= rows.features; k += kLanes) add_features<1>(rows, weights, k, out);
  for (; k < rows.features; ++k) {
    for (std::int64_t j = 0; j < rows.count; ++j) out[k] += weights[j] * rows.rows[j * rows.stride + k];
  }
}

// Calls step(tag, i) for whole vectors, then for the cells that are left, one by one.
template <typename Step>
HWY_INLINE void over_cells(std::int64_t count, const Step& step) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) step(FloatTag(), i);
  for (; i < count; ++i) step(hn::CappedTag<float, 1>(), i);
}

void raise(const float* cells, std::int64_t count, float* max) {
  over_cells(count, [&](auto d, std::int64_t i) {
    hn::StoreU(hn::Max(hn::LoadU(d, max + i), hn::LoadU(d, cells + i)), d, max + i);
  });
}

void subtract_visible(const float* from, std::int64_t count, float* cells) {
  over_cells(count, [&](auto d, std::int64_t i) {
    const auto cell = hn::LoadU(d, cells + i);
    const auto hidden = hn::Eq(cell, hn::Set(d, -HUGE_VALF));
    hn::StoreU(hn::IfThenElse(hidden, cell, hn::Sub(cell, hn::LoadU(d, from + i))), d, cells + i);
  });
}

bool update(const ReplacedTerms& terms, float most, const UpdatedSums& to) {
  bool any = false;
  over_cells(terms.rows, [&](auto d, std::int64_t i) {
    auto removed = hn::Zero(d), added = hn::Zero(d);
    for (std::int64_t n = 0; n < terms.keys; ++n) {
      removed = hn::Add(removed, hn::LoadU(d, terms.before + n * terms.stride + i));
      added = hn::Add(added, hn::LoadU(d, terms.after + n * terms.stride + i));
    }
    const auto sum_before = hn::LoadU(d, terms.sum_before + i);
    const auto scale = hn::LoadU(d, terms.scale + i);
    const auto sum = hn::MulAdd(hn::Sub(sum_before, removed), scale, added);
    const auto inverse = hn::Div(hn::Set(d, 1.0F), sum);
    const auto touched = hn::Gt(hn::Max(removed, added), hn::Zero(d));
    const auto left = hn::Mul(scale, inverse);
    any = any || !hn::AllFalse(d, hn::Gt(removed, hn::Mul(hn::Set(d, most), sum_before)));
    hn::StoreU(hn::IfThenElse(touched, sum, sum_before), d, to.sum + i);
    hn::StoreU(hn::IfThenElse(touched, hn::Mul(sum_before, left), hn::Set(d, 1.0F)), d, to.factor + i);
    for (std::int64_t n = 0; n < terms.keys; ++n) {
      const auto before = hn::LoadU(d, terms.before + n * terms.stride + i);
      const auto after = hn::LoadU(d, terms.after + n * terms.stride + i);
      hn::StoreU(hn::IfThenElseZero(touched, hn::Neg(hn::Mul(before, left))), d, to.removed + n * to.stride + i);
      hn::StoreU(hn::IfThenElseZero(touched, hn::Mul(after, inverse)), d, to.columns + n * to.stride + i);
    }
  });
  return any;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {
HWY_EXPORT(multiply_by_vectors);
HWY_EXPORT(add_weighted);
HWY_EXPORT(raise);
HWY_EXPORT(subtract_visible);
HWY_EXPORT(update);
}  // namespace

void multiply_rows_by_vectors(const StridedRows& rows, const float* first, const float* second, float* first_out,
                              float* second_out) {
  HWY_DYNAMIC_DISPATCH(multiply_by_vectors)(rows, first, second, first_out, second_out);
}

void add_weighted_rows(const StridedRows& rows, const float* weights, float* out) {
  HWY_DYNAMIC_DISPATCH(add_weighted)(rows, weights, out);
}

void raise_to_cells(const float* cells, std::int64_t count, float* max) {
  HWY_DYNAMIC_DISPATCH(raise)(cells, count, max);
}

void subtract_where_visible(const float* from, std::int64_t count, float* cells) {
  HWY_DYNAMIC_DISPATCH(subtract_visible)(from, count, cells);
}

bool update_sums(const ReplacedTerms& terms, float most, const UpdatedSums& to) {
  return HWY_DYNAMIC_DISPATCH(update)(terms, most, to);
}

}  // namespace headscope
#endif

#include "core/backend/kernels/rows_in_place.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/rows_in_place.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "core/backend/kernels/micro_kernel-inl.h"
#include "core/backend/kernels/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {

using WordTag = hn::RebindToUnsigned<FloatTag>;
using WordVector = hn::Vec<WordTag>;

// Outputs whose rows are read side by side.
constexpr std::int64_t kRowsAtOnce = std::max(kLanes, kRowsSideBySide);
constexpr int kVectors = static_cast<int>(kRowsAtOnce / kLanes);

// The numbers of a file in words of four bytes: one of float32, two of bfloat16, the first of them in the lower half.
template <typename T>
constexpr std::int64_t kInWord = 4 / static_cast<std::int64_t>(sizeof(T));

HWY_INLINE FloatVector number_of_word(WordVector word, float, int) {
  return hn::BitCast(FloatTag(), word);
}

HWY_INLINE FloatVector number_of_word(WordVector word, std::uint16_t, int half) {
  return hn::BitCast(FloatTag(), half == 0 ? hn::ShiftLeft<16>(word) : hn::And(word, hn::Set(WordTag(), 0xFFFF0000U)));
}

// Sums of `R` rows of x, for kRowsAtOnce outputs.
template <int R>
struct Sums {
  FloatVector of[R][kVectors];

  HWY_INLINE void add(const float* x, std::int64_t x_stride, int vector, FloatVector weights) {
    for (int r = 0; r < R; ++r) {
      of[r][vector] = hn::MulAdd(hn::Set(FloatTag(), x[r * x_stride]), weights, of[r][vector]);
    }
  }
};

#if HWY_TARGET != HWY_SCALAR

// A vector of 16 bytes of several rows, `rows` apart, the first of them lowest.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* from, std::int64_t rows) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return hn::BitCast(d, hn::LoadU(hn::FixedTag<std::uint8_t, 16>(), reinterpret_cast<const std::uint8_t*>(from)));
  } else {
    const hn::Half<D> half;
    constexpr std::int64_t kBlocks = static_cast<std::int64_t>(hn::MaxLanes(half)) / 4;
    return hn::Combine(d, load_blocks(half, from + kBlocks * rows, rows), load_blocks(half, from, rows));
  }
}

// Four words of each of kLanes rows, turned: word c of all of them.
template <typename T>
HWY_INLINE void turned_words(const T* from, std::int64_t stride, WordVector (&words)[4]) {
  const WordTag d;
  const WordVector rows[4] = {load_blocks(d, from, 4 * stride), load_blocks(d, from + stride, 4 * stride),
                              load_blocks(d, from + 2 * stride, 4 * stride),
                              load_blocks(d, from + 3 * stride, 4 * stride)};
  turn_blocks(d, rows, words);
}

// The inputs that fill whole squares; returns how many these are.
template <int R, typename T>
HWY_INLINE std::int64_t add_squares(const T* weight, std::int64_t stride, std::int64_t in, const FewRows& product,
                                    Sums<R>& sums) {
  constexpr std::int64_t kStep = 4 * kInWord<T>;
  std::int64_t k = 0;
  for (; k + kStep <= in; k += kStep) {
    for (int v = 0; v < kVectors; ++v) {
      WordVector words[4];
      turned_words(weight + v * kLanes * stride + k, stride, words);
      for (int i = 0; i < 4; ++i) {
        for (int half = 0; half < kInWord<T>; ++half) {
          sums.add(product.x + k + i * kInWord<T> + half, product.x_stride, v, number_of_word(words[i], T(), half));
        }
      }
    }
  }
  return k;
}

#else

template <int R, typename T>
HWY_INLINE std::int64_t add_squares(const T*, std::int64_t, std::int64_t, const FewRows&, Sums<R>&) {
  return 0;
}

#endif  // HWY_TARGET != HWY_SCALAR

// One input of all outputs.
template <int R, typename T>
HWY_INLINE void add_column(const T* weight, std::int64_t stride, const float* x, std::int64_t x_stride, Sums<R>& sums) {
  HWY_ALIGN std::uint32_t column[kRowsAtOnce];
  for (std::int64_t n = 0; n < kRowsAtOnce; ++n) {
    T number = weight[n * stride];
    column[n] = 0;
    std::copy_n(reinterpret_cast<const char*>(&number), sizeof(T), reinterpret_cast<char*>(column + n));
  }
  for (int v = 0; v < kVectors; ++v) {
    sums.add(x, x_stride, v, number_of_word(hn::Load(WordTag(), column + v * kLanes), T(), 0));
  }
}

// Which outputs go side by side: `count` of them from `first` on, so far apart.
struct Outputs {
  std::int64_t first, count, apart;
};

// Outputs of R rows, whose weights begin at `weight`, `stride` apart.
template <int R, typename T>
void multiply_outputs(const T* weight, std::int64_t stride, std::int64_t in, const Outputs& outputs,
                      const FewRows& product) {
  HWY_ALIGN float cells[kRowsAtOnce] = {};
  Sums<R> sums;
  for (int r = 0; r < R; ++r) {
    const float* const y = product.y + r * product.y_stride;
    if (const float* const start = product.goes_on ? y : product.bias; start != nullptr) {
      for (std::int64_t i = 0; i < outputs.count; ++i) cells[i] = start[outputs.first + i * outputs.apart];
    }
    for (int v = 0; v < kVectors; ++v) sums.of[r][v] = hn::Load(FloatTag(), cells + v * kLanes);
  }
  for (std::int64_t k = add_squares<R>(weight, stride, in, product, sums); k < in; ++k) {
    add_column<R>(weight + k, stride, product.x + k, product.x_stride, sums);
  }
  for (int r = 0; r < R; ++r) {
    float* const y = product.y + r * product.y_stride;
    for (int v = 0; v < kVectors; ++v) hn::Store(sums.of[r][v], FloatTag(), cells + v * kLanes);
    for (std::int64_t i = 0; i < outputs.count; ++i) y[outputs.first + i * outputs.apart] = cells[i];
  }
}

// Each of the rows that are read side by side goes on where it ended with the next outputs, so that a processor need
// not find it again. Rows an odd number apart spread over the sets of a cache.
template <int R, typename T>
void multiply_rows(const T* weight, std::int64_t stride, std::int64_t out, std::int64_t in, const FewRows& product) {
  std::int64_t n = 0;
  while (out - n >= kRowsAtOnce) {
    const std::int64_t apart = ((out - n) / kRowsAtOnce - 1) / 2 * 2 + 1;
    for (std::int64_t i = n; i < n + apart; ++i) {
      multiply_outputs<R>(weight + i * stride, apart * stride, in, {i, kRowsAtOnce, apart}, product);
    }
    n += apart * kRowsAtOnce;
  }
  // The last rows are too few to be read side by side: each goes beside itself.
  for (; n < out; ++n) multiply_outputs<R>(weight + n * stride, 0, in, {n, 1, 1}, product);
}

// The same where the outputs of one input follow one another: sums stay in y while the inputs pass by, four of them at
// a time, so that the weight is read from its beginning to its end.
template <int R, typename T>
void multiply_columns(const T* weight, std::int64_t stride, std::int64_t out, std::int64_t in, const FewRows& product) {
  constexpr std::int64_t kInputs = 4;
  for (int r = 0; r < R && !product.goes_on; ++r) {
    float* const y = product.y + r * product.y_stride;
    product.bias != nullptr ? std::copy_n(product.bias, out, y) : std::fill_n(y, out, 0.0F);
  }
  for (std::int64_t k = 0; k < in; k += kInputs) {
    const std::int64_t inputs = std::min(kInputs, in - k);
    const T* const from = weight + k * stride;
    const float* const x = product.x + k;
    std::int64_t n = 0;
    for (; inputs == kInputs && n + kLanes <= out; n += kLanes) {
      FloatVector weights[kInputs];
      for (std::int64_t i = 0; i < kInputs; ++i) weights[i] = load_floats(from + i * stride + n);
      for (int r = 0; r < R; ++r) {
        float* const y = product.y + r * product.y_stride + n;
        FloatVector sum = hn::LoadU(FloatTag(), y);
        for (std::int64_t i = 0; i < kInputs; ++i) {
          sum = hn::MulAdd(hn::Set(FloatTag(), x[r * product.x_stride + i]), weights[i], sum);
        }
        hn::StoreU(sum, FloatTag(), y);
      }
    }
    for (; n < out; n += kLanes) {
      const std::int64_t columns = std::min(kLanes, out - n);
      HWY_ALIGN T last[kLanes] = {};
      HWY_ALIGN float cells[kLanes] = {};
      for (std::int64_t i = 0; i < inputs; ++i) {
        std::copy_n(from + i * stride + n, columns, last);
        for (int r = 0; r < R; ++r) {
          float* const y = product.y + r * product.y_stride + n;
          std::copy_n(y, columns, cells);
          const FloatVector factor = hn::Set(FloatTag(), x[r * product.x_stride + i]);
          hn::Store(hn::MulAdd(factor, load_floats(last), hn::Load(FloatTag(), cells)), FloatTag(), cells);
          std::copy_n(cells, columns, y);
        }
      }
    }
  }
}

// So many rows keep their sums in 8 of 32 vector registers, or of 16, and in the first cache. With more of them packing
// a strip is quicker.
constexpr int kMostRows = kMaxRows >= 12 ? 8 : 4, kMostRowsOfColumns = 4;

template <typename T, int... rows>
void multiply(const MatrixSource& weight, std::int64_t out, std::int64_t in, const FewRows& product,
              std::integer_sequence<int, rows...>) {
  const T* const from = static_cast<const T*>(weight.data);
  ((product.rows == rows + 1 ? multiply_rows<rows + 1>(from, weight.out_stride, out, in, product) : void()), ...);
}

template <typename T, int... rows>
void multiply_by_columns(const MatrixSource& weight, std::int64_t out, std::int64_t in, const FewRows& product,
                         std::integer_sequence<int, rows...>) {
  const T* const from = static_cast<const T*>(weight.data);
  ((product.rows == rows + 1 ? multiply_columns<rows + 1>(from, weight.in_stride, out, in, product) : void()), ...);
}

void MultiplyInPlace(const MatrixSource& weight, std::int64_t out, std::int64_t in, const FewRows& product) {
  if (weight.in_stride == 1) {
    constexpr std::make_integer_sequence<int, kMostRows> kRows;
    weight.type == PanelType::float32 ? multiply<float>(weight, out, in, product, kRows)
                                      : multiply<std::uint16_t>(weight, out, in, product, kRows);
    return;
  }
  constexpr std::make_integer_sequence<int, kMostRowsOfColumns> kRows;
  switch (weight.type) {
    case PanelType::float32:
      return multiply_by_columns<float>(weight, out, in, product, kRows);
    case PanelType::float16:
      return multiply_by_columns<hwy::float16_t>(weight, out, in, product, kRows);
    case PanelType::bfloat16:
      return multiply_by_columns<hwy::bfloat16_t>(weight, out, in, product, kRows);
  }
}

// float16 has no place in a word from which one step makes a float: it is turned by packing.
std::int64_t MostRows(const MatrixSource& weight) {
  if (weight.in_stride == 1) return weight.type == PanelType::float16 ? 0 : kMostRows;
  return weight.out_stride == 1 ? kMostRowsOfColumns : 0;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {
HWY_EXPORT(MultiplyInPlace);
HWY_EXPORT(MostRows);
}  // namespace

std::int64_t most_rows_in_place(const MatrixSource& weight) {
  return HWY_DYNAMIC_DISPATCH(MostRows)(weight);
}

void multiply_in_place(const MatrixSource& weight, std::int64_t out, std::int64_t in, const FewRows& product) {
  HWY_DYNAMIC_DISPATCH(MultiplyInPlace)(weight, out, in, product);
}

}  // namespace headscope
#endif

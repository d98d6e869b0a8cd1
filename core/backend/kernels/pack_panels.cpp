#include "core/backend/kernels/pack_panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/pack_panels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstring>

#include "core/backend/kernels/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {

// Numbers of one cache line.
template <typename T>
constexpr std::int64_t kLineNumbers = 64 / static_cast<std::int64_t>(sizeof(T));

// How many inputs ahead lines are asked for: measured, on rows of main memory.
constexpr std::int64_t kInputsAhead = 4;

template <typename T>
HWY_INLINE void ask_for(const T* at) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  __builtin_prefetch(at, 0, 3);
#else
  (void)at;
#endif
}

// Rows of a panel somewhere in memory: `count` of them, the others are zeros.
template <typename T>
struct PanelRows {
  const T* from;
  std::int64_t out_stride, in_stride, count;
};

// Inputs [first, last) of a panel, number by number.
template <typename T>
void pack_cells(const PanelRows<T>& rows, std::int64_t first, std::int64_t last, T* panel) {
  for (std::int64_t n = 0; n < kPanelColumns; ++n) {
    const T* const row = rows.from + n * rows.out_stride;
    for (std::int64_t i = first; i < last; ++i) {
      panel[i * kPanelColumns + n] = n < rows.count ? row[i * rows.in_stride] : T(0);
    }
  }
}

// Rows whose inputs follow one another: a cache line of every row at a time, so that lines of many rows need not stay
// cached together.
template <typename T>
void pack_rows_of_inputs(const PanelRows<T>& rows, std::int64_t in, T* panel) {
  [[maybe_unused]] const T* const from = rows.from;
  [[maybe_unused]] const std::int64_t out_stride = rows.out_stride;
  std::int64_t first = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::int64_t kLine = kLineNumbers<T>, kSquare = kTurned<T>;
  const std::int64_t lines_end = rows.count == kPanelColumns ? in / kLine * kLine : 0;
  for (std::int64_t group = 0; group < kPanelColumns; group += kRowsSideBySide) {
    for (first = 0; first < lines_end; first += kLine) {
      for (std::int64_t n = group; n < group + kRowsSideBySide; n += kSquare) {
        for (std::int64_t i = first; i < first + kLine; i += kSquare) {
          turn_square(from + n * out_stride + i, out_stride, panel + i * kPanelColumns + n, kPanelColumns);
        }
      }
    }
  }
#endif
  for (; first < in; first += kLineNumbers<T>) {
    pack_cells(rows, first, std::min(first + kLineNumbers<T>, in), panel);
  }
}

// Rows that follow one another input by input: the rows of all panels are one stretch of memory for every input.
template <typename T>
void pack_columns_of_rows(const T* from, std::int64_t in_stride, std::int64_t count, std::int64_t rows, std::int64_t in,
                          T* to) {
  for (std::int64_t i = 0; i < in; ++i) {
    const T* const all = from + i * in_stride;
    for (std::int64_t p = 0; p < count; ++p) {
      const T* const row = all + p * kPanelColumns;
      T* const cells = to + (p * in + i) * kPanelColumns;
      for (std::int64_t n = 0; n < kPanelColumns; n += kLineNumbers<T>) ask_for(row + n + kInputsAhead * in_stride);
      const std::int64_t columns = std::min(kPanelColumns, rows - p * kPanelColumns);
      if (columns == kPanelColumns) {
        std::memcpy(cells, row, kPanelColumns * sizeof(T));
      } else {
        std::fill(std::copy_n(row, columns, cells), cells + kPanelColumns, T(0));
      }
    }
  }
}

template <typename T>
void pack(const MatrixSource& source, std::int64_t count, std::int64_t rows, std::int64_t in, T* to) {
  const T* const from = static_cast<const T*>(source.data);
  if (source.out_stride == 1 && source.in_stride != 1) {
    pack_columns_of_rows(from, source.in_stride, count, rows, in, to);
    return;
  }
  for (std::int64_t p = 0; p < count; ++p) {
    const PanelRows<T> of_panel{from + p * kPanelColumns * source.out_stride, source.out_stride, source.in_stride,
                                std::min(kPanelColumns, rows - p * kPanelColumns)};
    T* const panel = to + p * in * kPanelColumns;
    source.in_stride == 1 ? pack_rows_of_inputs(of_panel, in, panel) : pack_cells(of_panel, 0, in, panel);
  }
}

void PackPanels(const MatrixSource& from, std::int64_t count, std::int64_t rows, std::int64_t in, void* to) {
  if (from.type == PanelType::float32) {
    pack(from, count, rows, in, static_cast<float*>(to));
  } else {
    pack(from, count, rows, in, static_cast<std::uint16_t*>(to));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {

HWY_EXPORT(PackPanels);

void pack_panels(const MatrixSource& from, std::int64_t count, std::int64_t rows, std::int64_t in, void* to) {
  HWY_DYNAMIC_DISPATCH(PackPanels)(from, count, rows, in, to);
}

}  // namespace headscope
#endif

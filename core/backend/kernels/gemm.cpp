#include "core/backend/kernels/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/gemm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "core/backend/kernels/micro_kernel-inl.h"
#include "core/backend/kernels/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {

// What the tiles of a panel ask for while they compute: the next panel, or what is packed next.
template <typename B>
struct AskedFor {
  const B* panel = nullptr;  // each its share
  // Of rows whose inputs follow one another those of a tile's columns, by the tiles of these columns, each its share.
  const B* rows = nullptr;
  std::int64_t out_stride = 0;
  // Of others the columns of a tile, input by input, by the first of its tiles.
  const B* columns = nullptr;
  std::int64_t in_stride = 0;
};

template <typename B>
HWY_INLINE AskedFor<B> asked_for(const B* panel, const NextPanels& next, std::int64_t n) {
  if (next.data == nullptr) return {panel};
  const B* const from = static_cast<const B*>(next.data) + n * next.out_stride;
  if (next.in_stride == 1) return {nullptr, from, next.out_stride};
  return {nullptr, nullptr, 0, from, next.in_stride};
}

// One after the other, the tiles of `rows` rows over the outputs of one panel.
template <RowForm form, typename B>
HWY_INLINE void multiply_panel(Tile<B> tile, std::int64_t rows, std::int64_t outputs, TileStart start,
                               const AskedFor<B>& asked) {
  const std::int64_t parts = (rows + kMaxRows - 1) / kMaxRows * (kPanelColumns / kTileColumns);
  const float* const a = tile.a;
  float* const c = tile.c;
  for (std::int64_t n = 0; n < outputs; n += kTileColumns) {
    tile.columns = std::min(kTileColumns, outputs - n);
    tile.a = a;
    tile.c = c + n;
    for (std::int64_t left = rows; left > 0;) {
      const int part = rows_of_part(left);
      if (asked.columns != nullptr) {
        tile.fetch = left == rows ? asked.columns + n : nullptr;
        tile.fetch_step = asked.in_stride;
      } else if (asked.rows != nullptr) {
        tile.fetch = asked.rows + n * asked.out_stride + (rows - left) * tile.depth * kTileColumns / rows;
        tile.fetch_step = kTileColumns * part / rows;
      } else if (parts > 1) {
        tile.fetch = asked.panel + (rows - left) * tile.depth * kPanelColumns / rows;
        tile.fetch_step = kPanelColumns * part / rows;
      }
      (start == TileStart::zero   ? tile_function<form, TileStart::zero, B>(part)
       : start == TileStart::bias ? tile_function<form, TileStart::bias, B>(part)
                                  : tile_function<form, TileStart::cells, B>(part))(tile);
      tile.a += part * (form == RowForm::packed ? tile.depth : tile.a_stride);
      tile.c += part * tile.c_stride;
      left -= part;
    }
    tile.b += kTileColumns;
    if (tile.bias != nullptr) tile.bias += kTileColumns;
  }
}

// Rows up to which two tiles are computed at once: as many as the registers hold twice.
constexpr int kPairRows = kMaxRows / 3;

template <TileStart start, typename B, int... rows>
HWY_INLINE void multiply_pair_of_rows(const Tile<B>& one, const Tile<B>& two, std::integer_sequence<int, rows...>) {
  constexpr int R = sizeof...(rows);
  const float* a = one.a;
  const B* left = one.b;
  const B* right = two.b;
  TileRow sums[R] = {first_sums<start>(one.bias, one.c + rows * one.c_stride, one.columns)...};
  TileRow more[R] = {first_sums<start>(two.bias, two.c + rows * two.c_stride, two.columns)...};
  for (std::int64_t k = one.depth; k > 0; --k) {
    const TileRow b = {load_floats(left), load_floats(left + kLanes)};
    (add_product(a + rows * one.a_stride, b.left, b.right, sums[rows]), ...);
    const TileRow c = {load_floats(right), load_floats(right + kLanes)};
    (add_product(a + rows * one.a_stride, c.left, c.right, more[rows]), ...);
    ++a;
    left += one.b_stride;
    right += two.b_stride;
  }
  (store_sums(sums[rows], one.c + rows * one.c_stride, one.columns), ...);
  (store_sums(more[rows], two.c + rows * two.c_stride, two.columns), ...);
}

// Two tiles of R rows of the same a: chains of so few rows mostly wait for their own last multiply-add, and so there
// are twice as many.
template <int R, TileStart start, typename B>
HWY_NOINLINE void multiply_pair(const Tile<B>& one, const Tile<B>& two) {
  multiply_pair_of_rows<start>(one, two, std::make_integer_sequence<int, R>());
}

template <TileStart start, typename B, int... rows>
HWY_INLINE void multiply_pair(std::int64_t count, const Tile<B>& one, const Tile<B>& two,
                              std::integer_sequence<int, rows...>) {
  ((count == rows + 1 ? multiply_pair<rows + 1, start>(one, two) : void()), ...);
}

// The tile of outputs n and on of a FewRows or a Block; `first_k` and `depth` say which inputs.
template <typename B, typename Product>
Tile<B> tile_of(const PackedMatrix& weight, std::int64_t n, std::int64_t first_k, std::int64_t depth,
                const Product& product) {
  Tile<B> tile;
  tile.b = weight.panel<B>(n / kPanelColumns) + first_k * kPanelColumns + n % kPanelColumns;
  tile.b_stride = kPanelColumns;
  tile.c = product.y + n;
  tile.c_stride = product.y_stride;
  tile.depth = depth;
  tile.columns = std::min(kTileColumns, weight.out() - n);
  tile.bias = product.bias == nullptr ? nullptr : product.bias + n;
  return tile;
}

// Where the chains of a product start.
template <typename Product>
TileStart start_of(const Product& product) {
  return product.goes_on ? TileStart::cells : product.bias == nullptr ? TileStart::zero : TileStart::bias;
}

template <typename B>
void few_rows(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel, const FewRows& product) {
  const TileStart start = start_of(product);
  const std::int64_t end = std::min(last_panel * kPanelColumns, weight.out());
  std::int64_t n = first_panel * kPanelColumns;
  const auto tile_at = [&](std::int64_t at) {
    Tile<B> tile = tile_of<B>(weight, at, 0, weight.in(), product);
    tile.a = product.x;
    tile.a_stride = product.x_stride;
    return tile;
  };
  constexpr std::make_integer_sequence<int, kPairRows> kRows;
  for (; product.rows <= kPairRows && n + kTileColumns < end; n += 2 * kTileColumns) {
    const Tile<B> one = tile_at(n);
    const Tile<B> two = tile_at(n + kTileColumns);
    start == TileStart::zero   ? multiply_pair<TileStart::zero>(product.rows, one, two, kRows)
    : start == TileStart::bias ? multiply_pair<TileStart::bias>(product.rows, one, two, kRows)
                               : multiply_pair<TileStart::cells>(product.rows, one, two, kRows);
  }
  for (; n < end; n = (n / kPanelColumns + 1) * kPanelColumns) {
    const Tile<B> tile = tile_at(n);
    multiply_panel<RowForm::strided>(tile, product.rows, std::min(kPanelColumns, end - n), start,
                                     asked_for<B>(tile.b + weight.in() * kPanelColumns, product.next, n));
  }
}

void MultiplyFewRows(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel,
                     const FewRows& product) {
  switch (weight.type()) {
    case PanelType::float32:
      return few_rows<float>(weight, first_panel, last_panel, product);
    case PanelType::float16:
      return few_rows<hwy::float16_t>(weight, first_panel, last_panel, product);
    case PanelType::bfloat16:
      return few_rows<hwy::bfloat16_t>(weight, first_panel, last_panel, product);
  }
}

template <typename B>
void block(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel, const Block& product) {
  const TileStart start = start_of(product);
  for (std::int64_t p = first_panel; p < last_panel; ++p) {
    const std::int64_t n = p * kPanelColumns;
    Tile<B> tile = tile_of<B>(weight, n, product.first_k, product.depth, product);
    tile.a = product.packed;
    multiply_panel<RowForm::packed>(tile, product.rows, std::min(kPanelColumns, weight.out() - n), start,
                                    asked_for<B>(tile.b + weight.in() * kPanelColumns, product.next, n));
  }
}

void MultiplyBlock(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel,
                   const Block& product) {
  switch (weight.type()) {
    case PanelType::float32:
      return block<float>(weight, first_panel, last_panel, product);
    case PanelType::float16:
      return block<hwy::float16_t>(weight, first_panel, last_panel, product);
    case PanelType::bfloat16:
      return block<hwy::bfloat16_t>(weight, first_panel, last_panel, product);
  }
}

// Four rows at a time are turned by four columns; the last four of a part may repeat rows of those before.
HWY_INLINE void pack_part(const float* x, std::int64_t x_stride, int rows, std::int64_t depth, float* packed) {
  std::int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; rows >= 4 && k + 4 <= depth; k += 4) {
    for (int done = 0; done < rows; done += 4) {
      const int r = std::min(done, rows - 4);
      turn_square(x + r * x_stride + k, x_stride, packed + k * rows + r, rows);
    }
  }
#endif
  for (; k < depth; ++k) {
    for (int r = 0; r < rows; ++r) packed[k * rows + r] = x[r * x_stride + k];
  }
}

void PackRows(const float* x, std::int64_t x_stride, std::int64_t rows, std::int64_t depth, float* packed) {
  for (std::int64_t left = rows; left > 0;) {
    const int part = rows_of_part(left);
    pack_part(x, x_stride, part, depth, packed);
    x += part * x_stride;
    packed += part * depth;
    left -= part;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {

HWY_EXPORT(MultiplyFewRows);
HWY_EXPORT(MultiplyBlock);
HWY_EXPORT(PackRows);

void multiply_few_rows(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel,
                       const FewRows& product) {
  HWY_DYNAMIC_DISPATCH(MultiplyFewRows)(weight, first_panel, last_panel, product);
}

void multiply_block(const PackedMatrix& weight, std::int64_t first_panel, std::int64_t last_panel,
                    const Block& product) {
  HWY_DYNAMIC_DISPATCH(MultiplyBlock)(weight, first_panel, last_panel, product);
}

void pack_rows(const float* x, std::int64_t x_stride, std::int64_t rows, std::int64_t depth, float* packed) {
  HWY_DYNAMIC_DISPATCH(PackRows)(x, x_stride, rows, depth, packed);
}

}  // namespace headscope
#endif

// Cells painted on a mask by hand, as few rectangles as they need: what the mask editor changes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/mask.h"
#include "core/request/request.h"

namespace headscope {

// Paints one more rectangle over the others; those that it covers whole are taken out, switched off or not.
void put_paint(Request& request, const PaintedCells& cells);

// 1 = hidden, [query_len, key_len] row-major: what (b, h) hides when nothing is painted and no mistake inverts the
// mask, without the key of bias_k.
std::vector<std::uint8_t> cells_without_paint(const Trace& trace, std::int64_t b, std::int64_t h);

// The rectangles that make `wanted` of `base` (1 = hidden, [query_len, key_len] row-major): whole columns and rows
// first, then runs of a row, equal ones of neighbouring rows as one.
std::vector<PaintedCells> painted_as(const std::vector<std::uint8_t>& base, const std::vector<std::uint8_t>& wanted,
                                     std::int64_t query_len, std::int64_t key_len);

// One byte a cell of a mask, row-major: where a brush went.
struct MaskStroke {
  std::int64_t query_len = 0, key_len = 0;
  std::vector<std::uint8_t> cells;  // 1 = painted
  MaskStroke(std::int64_t queries, std::int64_t keys);
  // Squares of `size` cells, what lies outside left out, around every cell of the straight line from (query, key) to
  // (to_query, to_key). Of an even size the cell is the lower right one of the middle.
  void draw_line(std::int64_t query, std::int64_t key, std::int64_t to_query, std::int64_t to_key, std::int64_t size);
};

// Paints the stroke over what is painted. Rectangles painted last, one after the other, that reach no open end are
// merged with it where that makes fewer of them; what the mask hides is the same.
void put_stroke(Request& request, const MaskStroke& stroke, bool hides);

}  // namespace headscope

// Cells painted on a mask by hand, kept as few rectangles: the data of the mask editor.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/mask.h"
#include "core/request/request.h"

namespace headscope {

// Paints one more rectangle over the others; those that it covers completely are removed, also when switched off.
void put_paint(Request& request, const PaintedCells& cells);

// Takes the painted cells of `area` away, so that they are again as the rest of the mask has them. What lies outside of
// it stays painted, and so do rectangles that are switched off.
void erase_paint(Request& request, const PaintedCells& area);

// 1 = hidden, [query_len, key_len] row-major: the mask of (b, h) without painted cells and without
// Variant::mask_inverted; without the key of bias_k.
std::vector<std::uint8_t> cells_without_paint(const Trace& trace, std::int64_t b, std::int64_t h);

// The rectangles that turn `base` into `wanted` (1 = hidden, [query_len, key_len] row-major): whole columns and rows
// first, then runs within a row; equal runs of neighbouring rows become one rectangle.
std::vector<PaintedCells> painted_as(const std::vector<std::uint8_t>& base, const std::vector<std::uint8_t>& wanted,
                                     std::int64_t query_len, std::int64_t key_len);

// The cells that a brush has painted: one byte a cell of the mask, row-major.
struct MaskStroke {
  std::int64_t query_len = 0, key_len = 0;
  std::vector<std::uint8_t> cells;  // 1 = painted
  MaskStroke(std::int64_t queries, std::int64_t keys);
  // Paints squares of `size` cells around every cell of the straight line from (query, key) to (to_query, to_key);
  // cells outside of the mask are left out. With an even size the line cell is the lower right one of the four middle
  // cells.
  void draw_line(std::int64_t query, std::int64_t key, std::int64_t to_query, std::int64_t to_key, std::int64_t size);
};

// Paints the stroke over the painted cells. The most recent rectangles without an open end are merged with it where
// that gives fewer rectangles; the mask hides the same cells.
void put_stroke(Request& request, const MaskStroke& stroke, bool hides);

// Takes the painted cells that the stroke passed over away.
void erase_stroke(Request& request, const MaskStroke& stroke);

}  // namespace headscope

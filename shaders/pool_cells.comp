#version 430 core
// Mirrors pool_cells of core/backend/pyramid.h for cells that lie in a buffer: blocks of cells become pixels, sums go
// first down the columns and then along them, as in core/backend/pyramid_columns.h. With MEAN the mean, else the maximum.
// A NaN counts also where it is hidden.
#include "numbers.glsl"
#include "hidden_cells.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Cells { float cells[]; };       // [rows, columns]
layout(std430, binding = 1) writeonly buffer Values { float values[]; };    // PooledPixels, row_pixels a row
layout(std430, binding = 2) writeonly buffer Counts { uint counts[]; };

uniform uint rows;
uniform uint columns;
uniform uint first_key;      // of the columns here, as the mask counts them
uniform uvec2 block;         // cells of a pixel: columns, rows
uniform uvec2 first_pixel;   // of the pixels here: column, row
uniform uint row_pixels;

const uint kThreads = 64u;
const uint kNan = 1u, kPlus = 2u, kMinus = 4u;

// What the rows of a column, or the columns of a pixel, have added up to.
struct Sums {
  uint flags;  // what is not finite (of a max: NaN only)
#ifdef MEAN
  uint count;
  double sum;
#else
  float high;  // high < low: nothing yet
  float low;
#endif
};

#ifdef MEAN
shared uint column_flags[kThreads];
shared uint column_counts[kThreads];
shared double column_sums[kThreads];

Sums nothing() { return Sums(0u, 0u, 0.0LF); }

void add_visible(inout Sums sums, float v) {
  uint bits = floatBitsToUint(v);
  if ((bits & 0x7f800000u) != 0x7f800000u) {
    sums.count += 1u;
    sums.sum += double(v);
  } else {
    sums.flags |= is_nan(v) ? kNan : (bits >> 31) == 0u ? kPlus : kMinus;
  }
}

void keep(Sums sums, uint at) {
  column_flags[at] = sums.flags;
  column_counts[at] = sums.count;
  column_sums[at] = sums.sum;
}

void add_column(inout Sums sums, uint at) {
  sums.flags |= column_flags[at];
  sums.count += column_counts[at];
  sums.sum += column_sums[at];
}

void write_pixel(Sums sums, uint at) {
  float value = 0.0;
  if ((sums.flags & kNan) != 0u) {
    value = kPlainNan;
    sums.count = 0u;
  } else if (sums.count > 0u) {
    value = float(sums.sum / double(sums.count));
  } else if (sums.flags != 0u) {
    value = (sums.flags & kPlus) != 0u ? kPlusInfinity : kMinusInfinity;
  }
  values[at] = value;
  counts[at] = sums.count;
}
#else
shared uint column_flags[kThreads];
shared float column_high[kThreads];
shared float column_low[kThreads];

Sums nothing() { return Sums(0u, kMinusInfinity, kPlusInfinity); }

void add_visible(inout Sums sums, float v) {
  if (is_nan(v)) {
    sums.flags |= kNan;
    return;
  }
  if (v > sums.high) sums.high = v;
  if (v < sums.low) sums.low = v;
}

void keep(Sums sums, uint at) {
  column_flags[at] = sums.flags;
  column_high[at] = sums.high;
  column_low[at] = sums.low;
}

void add_column(inout Sums sums, uint at) {
  sums.flags |= column_flags[at];
  if (sums.high < column_high[at]) sums.high = column_high[at];
  if (column_low[at] < sums.low) sums.low = column_low[at];
}

void write_pixel(Sums sums, uint at) {
  bool nan = (sums.flags & kNan) != 0u;
  bool seen = !nan && sums.low <= sums.high;
  float value = abs(sums.low) > abs(sums.high) ? sums.low : sums.high;
  values[at] = nan ? kPlainNan : seen ? value : 0.0;
  counts[at] = seen ? 1u : 0u;
}
#endif

void main() {
  uint thread = gl_LocalInvocationIndex;
  uint pixels = max(1u, kThreads / block.x);  // of this group, side by side; pixel t is added up by thread t
  uint first_column = gl_WorkGroupID.x * pixels * block.x;
  uint end_column = min(first_column + pixels * block.x, columns);
  uint first_row = gl_WorkGroupID.y * block.y;
  uint end_row = min(first_row + block.y, rows);
  uint own_begin = first_column + thread * block.x;
  uint own_end = thread < pixels ? min(own_begin + block.x, end_column) : own_begin;
  Sums pixel = nothing();
  for (uint begin = first_column; begin < end_column; begin += kThreads) {
    uint j = begin + thread;
    Sums column = nothing();
    if (j < end_column) {
      for (uint i = first_row; i < end_row; ++i) {
        float v = cells[i * columns + j];
        if (!is_hidden(i, first_key + j)) {
          add_visible(column, v);
        } else if (is_nan(v)) {
          column.flags |= kNan;
        }
      }
    }
    keep(column, thread);
    wait_for_all();
    for (uint c = begin; c < begin + kThreads; ++c) {
      if (c >= own_begin && c < own_end) add_column(pixel, c - begin);
    }
    wait_for_all();
  }
  if (own_begin < own_end) {
    uint column = first_pixel.x + gl_WorkGroupID.x * pixels + thread;
    write_pixel(pixel, (first_pixel.y + gl_WorkGroupID.y) * row_pixels + column);
  }
}

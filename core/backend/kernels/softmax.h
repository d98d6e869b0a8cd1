// The steps of a softmax on one row of scores: in place, with the same order of operations on every target.
#pragma once

#include <cstdint>

namespace headscope {

// Sums over a row use this many lanes: key j is added in lane j % 16, in increasing j; then a fixed tree adds the
// lanes. The bits are the same for any width of vectors and any cut of the row.
constexpr std::int64_t kSumLanes = 16;

// Keys begin ... end - 1; `begin` is a multiple of kSumLanes.
struct KeySpan {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const KeySpan&, const KeySpan&) = default;
};

// The keys that take part in a row: two spans in order that do not overlap; weights elsewhere are 0.
struct KeySpans {
  KeySpan first, second;
  friend bool operator==(const KeySpans&, const KeySpans&) = default;
};

// The functions below work on cells[j] for the keys j of `spans`, and on what follows each end up to the next multiple
// of kSumLanes: the caller writes -inf there first.

// cells[j] = cells[j] * scale in double precision, rounded to float.
void scale_cells(float* cells, std::int64_t count, double scale);

// The largest cell; -inf when the spans are empty. A NaN may be passed over or returned. Never -0.
float largest_cell(const float* cells, const KeySpans& spans);

// cells[j] = exp(cells[j] * scale - max), and returns their sum. max is at least every cells[j] * scale (float
// product). Relative error of an exponential 1e-7; exactly 0 for -inf; NaN for NaN.
float exponentials(float* cells, const KeySpans& spans, float scale, float max);

// cells[j] *= factor.
void multiply_cells(float* cells, const KeySpans& spans, float factor);

// The same, and also writes the whole row to `out`: key_len floats at any address, zeros outside the spans.
// `past_caches`: with stores that bypass the caches, which is faster when the row is not read soon. Call
// finish_stores() before another thread reads it.
void multiply_cells_to(float* cells, const KeySpans& spans, float factor, float* out, std::int64_t key_len,
                       bool past_caches);

void finish_stores();

// out[j] = exp(cells[j] * scale - max) * factor, with the bits that exponentials() and multiply_cells() give.
void weights_by_statistics(const float* cells, std::int64_t count, float scale, float max, float factor, float* out);

}  // namespace headscope

#include "core/backend/pooled_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "core/backend/kernels/column_sums.h"
#include "core/backend/pyramid_columns.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();  // of a pixel of which no cell was seen
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Range overlap(Range a, Range b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

Range range_of(const KeySpan& span) {
  return {span.begin, span.end};
}

// Whether the weight of this key is NaN: one outside of the spans is 0.
bool is_nan(const WeightRow& row, std::int64_t key) {
  const auto holds = [key](const KeySpan& span) { return span.begin <= key && key < span.end; };
  return (holds(row.spans.first) || holds(row.spans.second)) && std::isnan(row.cells[key]);
}

// The pixels of one row of cells, by columns. A weight is at least 0, or NaN as all of its row are.
class PixelLine {
 public:
  PixelLine(Range columns, std::int64_t cells_a_pixel) : columns_(columns), cells_(cells_a_pixel) {
    const auto pixels = static_cast<std::size_t>(parts_over(columns.size(), cells_a_pixel));
    high_.assign(pixels, kNothing);
    low_.assign(pixels, -kNothing);
  }

  // Adds the weights of the keys `run`, which are seen. True when one of them is NaN.
  bool add(const WeightRow& row, Range run) {
    bool nan = false;
    std::int64_t done = run.begin;
    for (const KeySpan& span : {row.spans.first, row.spans.second}) {
      const Range part = overlap(range_of(span), {done, run.end});
      if (part.size() <= 0) continue;
      add_zeros({done, part.begin});
      nan |= add_pixel_extremes({row.cells + part.begin, 0, 1}, {part.begin - columns_.begin, part.size(), cells_},
                                high_.data(), low_.data());
      done = part.end;
    }
    add_zeros({done, run.end});
    return nan;
  }

  // The pixels of NaN cells, seen or hidden.
  void add_nans(const WeightRow& row) {
    for (const KeySpan& span : {row.spans.first, row.spans.second}) {
      const Range part = overlap(range_of(span), columns_);
      for (std::int64_t j = part.begin; j < part.end; ++j) {
        if (std::isnan(row.cells[j])) high_[pixel_of(j)] = kNan;
      }
    }
  }

  // Largest cells become largest weights: rounding keeps their order.
  const std::vector<float>& times(float factor) {
    for (float& value : high_) value = value > 0 ? value * factor : value;
    return high_;
  }

 private:
  std::size_t pixel_of(std::int64_t column) const {
    return static_cast<std::size_t>((column - columns_.begin) / cells_);
  }

  void add_zeros(Range keys) {
    if (keys.size() <= 0) return;
    for (std::size_t p = pixel_of(keys.begin); p <= pixel_of(keys.end - 1); ++p) high_[p] = std::max(high_[p], 0.0F);
  }

  const Range columns_;
  const std::int64_t cells_;
  std::vector<float> high_, low_;
};

// The pixels of rows that come in any order, from several threads.
class WeightPixels {
 public:
  WeightPixels(const PyramidSource& source, Range rows, Range columns, PixelCells cells)
      : source_(source),
        rows_(rows),
        columns_(columns),
        cells_(cells),
        hidden_(source.mask && source.mask->hidden.any() ? &source.mask->hidden : nullptr),
        width_(parts_over(columns.size(), cells.columns)),
        largest_(static_cast<std::size_t>(parts_over(rows.size(), cells.rows) * width_), kNothing) {}

  // Whether what is seen of a row are runs of keys.
  bool sees_runs() const {
    return hidden_ == nullptr || hidden_->visible_keys(source_.batch, source_.head, rows_.begin).has_value();
  }

  void add(const WeightRow& row) {
    const VisibleKeys seen = seen_keys(row.i);
    PixelLine line(columns_, cells_.columns);
    bool nan = seen.count() == 0;
    for (const Range& run : {seen.first, seen.second}) {
      const Range part = overlap(run, columns_);
      if (part.size() > 0) nan |= line.add(row, part);
      if (part.size() <= 0 && run.size() > 0) nan |= is_nan(row, run.begin);
    }
    if (nan) line.add_nans(row);
    keep(line.times(row.factor), (row.i - rows_.begin) / cells_.rows);
  }

  void write(PooledPixels& to) const {
    for (std::size_t at = 0; at < largest_.size(); ++at) {
      if (largest_[at] == kNothing) continue;
      to.values[at] = largest_[at];
      to.counts[at] = std::isnan(largest_[at]) ? 0 : 1;
    }
  }

 private:
  VisibleKeys seen_keys(std::int64_t i) const {
    if (hidden_ == nullptr) return {{0, source_.matrix.dim(1)}, {}};
    return *hidden_->visible_keys(source_.batch, source_.head, i);
  }

  void keep(const std::vector<float>& line, std::int64_t pixel_row) {
    const std::lock_guard<std::mutex> lock(mutex_);
    float* const largest = largest_.data() + pixel_row * width_;
    for (std::size_t x = 0; x < line.size(); ++x) {
      if (line[x] > largest[x] || std::isnan(line[x])) largest[x] = line[x];
    }
  }

  const PyramidSource& source_;
  const Range rows_, columns_;
  const PixelCells cells_;
  const HiddenCells* const hidden_;
  const std::int64_t width_;
  std::mutex mutex_;
  std::vector<float> largest_;
};

}  // namespace

bool pool_weights(const PyramidSource& source, Range rows, Range columns, PixelCells cells, PooledPixels& to,
                  const CancelToken& cancel) {
  if (!source.visit_weights || rows.size() <= 0 || cells.columns < kWidePixel) return false;
  WeightPixels pixels(source, rows, columns, cells);
  if (!pixels.sees_runs()) return false;
  if (!source.visit_weights(
          rows, [&](const WeightRow& row) { pixels.add(row); }, cancel))
    return false;
  pixels.write(to);
  return true;
}

}  // namespace headscope

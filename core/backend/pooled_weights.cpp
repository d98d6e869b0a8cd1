#include "core/backend/pooled_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

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
  explicit PixelLine(const std::vector<Range>& columns) : columns_(columns), high_(columns.size(), kNothing) {}

  // Adds the weights of the keys `run`, which are seen. True when one of them is NaN.
  bool add(const WeightRow& row, Range run) {
    bool nan = false;
    std::int64_t done = run.begin;
    for (const KeySpan& span : {row.spans.first, row.spans.second}) {
      const Range part = overlap(range_of(span), {done, run.end});
      if (part.size() <= 0) continue;
      add_zeros({done, part.begin});
      nan |= add_largest(row.cells, part, columns_, high_.data());
      done = part.end;
    }
    add_zeros({done, run.end});
    return nan;
  }

  // The pixels of NaN cells, seen or hidden.
  void add_nans(const WeightRow& row, Range columns) {
    for (const KeySpan& span : {row.spans.first, row.spans.second}) {
      const Range part = overlap(range_of(span), columns);
      if (part.size() <= 0) continue;
      raise(part, [&](float high, const Range& pixel) {
        const Range cells = overlap(part, pixel);
        const auto nan = [](float cell) { return std::isnan(cell); };
        return std::any_of(row.cells + cells.begin, row.cells + cells.end, nan) ? kNan : high;
      });
    }
  }

  // Largest cells become largest weights: rounding keeps their order.
  const std::vector<float>& times(float factor) {
    for (float& value : high_) value = value > 0 ? value * factor : value;
    return high_;
  }

 private:
  void add_zeros(Range keys) {
    if (keys.size() > 0) raise(keys, [](float high, const Range&) { return std::max(high, 0.0F); });
  }

  // What the pixels of these keys become: raised(largest so far, cells).
  template <typename Raise>
  void raise(Range keys, const Raise& raised) {
    const Range pixels = parts_that_hold(columns_, keys);
    for (auto p = static_cast<std::size_t>(pixels.begin); p < static_cast<std::size_t>(pixels.end); ++p) {
      high_[p] = raised(high_[p], columns_[p]);
    }
  }

  const std::vector<Range>& columns_;
  std::vector<float> high_;
};

// Lines of so many cells, the last one of what is left.
std::vector<Range> equal_lines(Range cells, std::int64_t cells_a_line) {
  std::vector<Range> lines;
  for (std::int64_t begin = cells.begin; begin < cells.end; begin += cells_a_line) {
    lines.push_back({begin, std::min(begin + cells_a_line, cells.end)});
  }
  return lines;
}

}  // namespace

struct WeightPixels::Impl {
  const PyramidSource& source;
  const PixelLines lines;
  const HiddenCells* const hidden;  // null: nothing is hidden
  const Range columns;              // of all pixels
  std::mutex mutex;
  std::vector<float> largest;

  Impl(const PyramidSource& of, PixelLines with)
      : source(of),
        lines(std::move(with)),
        hidden(of.mask && of.mask->hidden.any() ? &of.mask->hidden : nullptr),
        columns(lines.columns.empty() ? Range{} : Range{lines.columns.front().begin, lines.columns.back().end}),
        largest(lines.rows.size() * lines.columns.size(), kNothing) {}

  VisibleKeys seen_keys(std::int64_t i) const {
    if (hidden == nullptr) return {{0, source.matrix.dim(1)}, {}};
    return *hidden->visible_keys(source.batch, source.head, i);
  }

  // The rows of pixels that show row i take what is larger of `line`.
  void keep(const std::vector<float>& line, std::int64_t i) {
    const Range rows = parts_that_hold(lines.rows, {i, i + 1});
    const std::lock_guard<std::mutex> lock(mutex);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      float* const to = largest.data() + static_cast<std::size_t>(y) * line.size();
      for (std::size_t x = 0; x < line.size(); ++x) {
        if (line[x] > to[x] || std::isnan(line[x])) to[x] = line[x];
      }
    }
  }
};

WeightPixels::WeightPixels(const PyramidSource& source, PixelLines lines)
    : impl_(std::make_unique<Impl>(source, std::move(lines))) {}

WeightPixels::~WeightPixels() = default;

bool WeightPixels::sees_runs() const {
  const PyramidSource& source = impl_->source;
  return impl_->hidden == nullptr || impl_->hidden->visible_keys(source.batch, source.head, 0).has_value();
}

void WeightPixels::add(const WeightRow& row) {
  const VisibleKeys seen = impl_->seen_keys(row.i);
  PixelLine line(impl_->lines.columns);
  bool nan = seen.count() == 0;
  for (const Range& run : {seen.first, seen.second}) {
    const Range part = overlap(run, impl_->columns);
    if (part.size() > 0) nan |= line.add(row, part);
    if (part.size() <= 0 && run.size() > 0) nan |= is_nan(row, run.begin);
  }
  if (nan) line.add_nans(row, impl_->columns);
  impl_->keep(line.times(row.factor), row.i);
}

PooledPixels WeightPixels::pixels() const {
  PooledPixels result(std::ssize(impl_->lines.rows), std::ssize(impl_->lines.columns));
  for (std::size_t at = 0; at < impl_->largest.size(); ++at) {
    const float largest = impl_->largest[at];
    if (largest == kNothing) continue;
    result.values[at] = largest;
    result.counts[at] = std::isnan(largest) ? 0 : 1;
  }
  return result;
}

bool pool_weights(const PyramidSource& source, Range rows, Range columns, PixelCells cells, PooledPixels& to,
                  const CancelToken& cancel) {
  if (!source.visit_weights || rows.size() <= 0 || cells.columns < kWidePixel) return false;
  WeightPixels pixels(source, {equal_lines(rows, cells.rows), equal_lines(columns, cells.columns)});
  if (!pixels.sees_runs()) return false;
  const auto add = [&](const WeightRow& row) { pixels.add(row); };
  if (!source.visit_weights(rows, add, cancel)) return false;
  to = pixels.pixels();
  return true;
}

}  // namespace headscope

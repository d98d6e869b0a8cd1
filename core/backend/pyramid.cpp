#include "core/backend/pyramid.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/backend/pooled_weights.h"
#include "core/backend/pyramid_columns.h"
#include "core/base/assert.h"
#include "core/tensor/parts.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kStripValues = std::int64_t{1} << 19;
// Of long rows: that many keep several threads busy, in so much memory at most.
constexpr std::int64_t kStripRows = 64, kMostStripValues = std::int64_t{1} << 21;
constexpr std::int64_t kGroupRows = 8;

// The rows of one source over one range of columns, strip by strip.
class StripReader {
 public:
  StripReader(const PyramidSource& source, Range columns, const CancelToken& cancel)
      : source_(source), columns_(columns), cancel_(cancel) {
    HEADSCOPE_ASSERT(source.matrix.rank() == 2 && columns.size() > 0, to_string(source.matrix.shape()));
    if (!source.mask || !source.mask->hidden.any()) return;
    hidden_ = &source.mask->hidden;
    HEADSCOPE_ASSERT(hidden_->key_len() == source.matrix.dim(1) && hidden_->query_len() == source.matrix.dim(0),
                     fmt::format("a mask of [{}, {}] on {}", hidden_->query_len(), hidden_->key_len(),
                                 to_string(source.matrix.shape())));
    bytes_.resize(static_cast<std::size_t>(columns.size()));
  }

  // Reads what is visible of these rows.
  void load(Range rows) {
    cancel_.check();
    loaded_rows_ = rows;
    loaded_columns_ = hidden_ == nullptr ? columns_ : seen_columns(rows);
    values_.resize(static_cast<std::size_t>(rows.size() * loaded_columns_.size()));
    if (!values_.empty()) source_.matrix.read(Region{rows, loaded_columns_}, values_);
  }

  // Adds some of the rows loaded.
  void add_rows(Range rows, ColumnSums& sums) {
    if (hidden_ == nullptr) {
      sums.add({row_values(rows.begin), rows.size(), loaded_columns_.size()}, 0, columns_.size());
      return;
    }
    for (std::int64_t i = rows.begin; i < rows.end;) {
      const Range together{i, std::min(i + sums.rows_at_once(), rows.end)};
      if (together.size() > 1 && add_together(together, sums)) {
        i = together.end;
      } else {
        add_row(i++, sums);
      }
    }
  }

 private:
  struct RowRuns {
    Range first, second;            // what of the row is visible within the columns
    std::int64_t visible_key = -1;  // some visible column, also outside
    bool bytes = false;             // what is visible is told cell by cell
  };

  const RowRuns& runs_of(std::int64_t i) const { return runs_[static_cast<std::size_t>(i - loaded_rows_.begin)]; }

  // Adds rows whose visible cells begin at one column, as those of a causal mask do. False for others, and when a value
  // is NaN: they may be added again, one by one, since that changes no extreme.
  bool add_together(Range rows, ColumnSums& sums) const {
    Range all = runs_of(rows.begin).first;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      const RowRuns& runs = runs_of(i);
      if (runs.bytes || runs.second.size() > 0 || runs.first.begin != all.begin) return false;
      all.end = std::min(all.end, runs.first.end);
    }
    if (all.size() <= 0) return false;
    const std::int64_t stride = loaded_columns_.size(), at = all.begin - columns_.begin;
    if (sums.add({cell(rows.begin, all.begin), rows.size(), stride}, at, all.size())) return false;
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      const std::int64_t more = runs_of(i).first.end - all.end;
      if (more > 0 && sums.add({cell(i, all.end), 1, stride}, all.end - columns_.begin, more)) return false;
    }
    return true;
  }

  void add_row(std::int64_t i, ColumnSums& sums) {
    const RowRuns& runs = runs_of(i);
    if (runs.bytes) return add_by_bytes(i, sums);
    bool nan = false;
    for (const Range& run : {runs.first, runs.second}) {
      if (run.size() <= 0) continue;
      nan |= sums.add({cell(i, run.begin), 1, loaded_columns_.size()}, run.begin - columns_.begin, run.size());
    }
    // Nothing of the row was looked at: one of its visible cells elsewhere tells whether it is NaN.
    const bool unseen = runs.first.size() + runs.second.size() == 0;
    if (unseen && runs.visible_key >= 0) nan = std::isnan(source_.matrix.at({i, runs.visible_key}));
    if (nan || runs.visible_key < 0) add_hidden_nans(i, sums);
  }

  // Settles the runs of each row; returns the columns that hold all of them.
  Range seen_columns(Range rows) {
    runs_.clear();
    Range seen{0, 0};
    const auto include = [&](const Range& run) {
      if (run.size() <= 0) return;
      seen = seen.size() > 0 ? Range{std::min(seen.begin, run.begin), std::max(seen.end, run.end)} : run;
    };
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      RowRuns runs;
      if (const auto keys = hidden_->visible_keys(source_.batch, source_.head, i)) {
        runs.first = cut(keys->first);
        runs.second = cut(keys->second);
        if (keys->first.size() > 0) runs.visible_key = keys->first.begin;
        include(runs.first);
        include(runs.second);
      } else {
        runs.bytes = true;
        include(columns_);
      }
      runs_.push_back(runs);
    }
    return seen;
  }

  Range cut(const Range& keys) const {
    const Range part{std::max(keys.begin, columns_.begin), std::min(keys.end, columns_.end)};
    return part.size() > 0 ? part : Range{0, 0};
  }

  void add_by_bytes(std::int64_t i, ColumnSums& sums) {
    hidden_->read_row(source_.batch, source_.head, i, bytes_, columns_.begin);
    const float* values = row_values(i);
    for (std::size_t j = 0; j < bytes_.size(); ++j) {
      const auto column = static_cast<std::int64_t>(j);
      if (bytes_[j] == 0) {
        sums.add({values + j}, column, 1);
      } else if (std::isnan(values[j])) {
        sums.add_nan(column);
      }
    }
  }

  void add_hidden_nans(std::int64_t i, ColumnSums& sums) {
    row_.resize(static_cast<std::size_t>(columns_.size()));
    source_.matrix.read(Region{{i, i + 1}, columns_}, row_);
    for (std::size_t j = 0; j < row_.size(); ++j) {
      if (std::isnan(row_[j])) sums.add_nan(static_cast<std::int64_t>(j));
    }
  }

  const float* cell(std::int64_t i, std::int64_t column) const {
    return row_values(i) + (column - loaded_columns_.begin);
  }

  const float* row_values(std::int64_t i) const {
    return values_.data() + (i - loaded_rows_.begin) * loaded_columns_.size();
  }

  const PyramidSource& source_;
  const Range columns_;
  const CancelToken& cancel_;
  const HiddenCells* hidden_ = nullptr;
  std::vector<float> values_, row_;
  Range loaded_rows_, loaded_columns_;
  std::vector<RowRuns> runs_;
  std::vector<std::uint8_t> bytes_;
};

// So many rows are read at a time.
std::int64_t rows_of_strip(PixelCells cells, Range columns) {
  const std::int64_t most = std::min(kStripRows, kMostStripValues / columns.size());
  std::int64_t strip = std::max<std::int64_t>({kStripValues / columns.size(), most, 1});
  for (const std::int64_t together : {cells.rows, std::lcm(cells.rows, kRowsTogether)}) {
    if (strip > together) strip -= strip % together;
  }
  return strip;
}

}  // namespace

PooledPixels pool_cells(const PyramidSource& source, Range rows, Range columns, PixelCells cells, Pooling pooling,
                        const CancelToken& cancel) {
  PooledPixels result(parts_over(rows.size(), cells.rows), parts_over(columns.size(), cells.columns));
  if (pooling == Pooling::max && pool_weights(source, rows, columns, cells, result, cancel)) return result;
  StripReader reader(source, columns, cancel);
  ColumnSums sums(columns.size(), cells.columns, pooling);
  const std::int64_t strip = rows_of_strip(cells, columns);
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += strip) {
    const Range part{begin, std::min(begin + strip, rows.end)};
    reader.load(part);
    for (std::int64_t i = part.begin; i < part.end;) {
      const std::int64_t at = i - rows.begin;
      if (at % cells.rows == 0) sums.reset();
      const std::int64_t end = std::min(part.end, i + cells.rows - at % cells.rows);
      reader.add_rows({i, end}, sums);
      if ((end - rows.begin) % cells.rows == 0 || end == rows.end) sums.write_row(result, at / cells.rows);
      i = end;
    }
  }
  return result;
}

int base_level(std::int64_t count) {
  int level = 0;
  while (parts_over(count, std::int64_t{1} << level) > kBasePixels) ++level;
  return level;
}

std::int64_t cells_a_pixel(std::int64_t count, double pixels) {
  const double room = std::max(1.0, std::floor(pixels));
  const auto least = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) / room));
  const std::int64_t base = std::int64_t{1} << base_level(count);
  if (least >= base) return rounded_up(least, base);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(least, 1))));
}

std::int64_t finer_cells_a_pixel(std::int64_t cells) {
  return cells <= 1 ? 1 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(cells - 1)));
}

std::int64_t coarser_cells_a_pixel(std::int64_t cells, std::int64_t most) {
  return std::min(most, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(cells))) * 2);
}

int level_of(std::int64_t count, std::int64_t cells) {
  return std::min(base_level(count), std::countr_zero(static_cast<std::uint64_t>(cells)));
}

CoarsePlan coarse_plan(const PyramidSource& source, PixelCells cells, std::int64_t most_cells) {
  const std::int64_t rows = source.matrix.dim(0), columns = source.matrix.dim(1);
  const std::int64_t pixel_rows = parts_over(rows, cells.rows);
  const std::int64_t group = std::min(kGroupRows, rows);
  const std::int64_t groups =
      std::clamp<std::int64_t>(most_cells / std::max<std::int64_t>(1, group * columns * source.cost), 1, pixel_rows);
  CoarsePlan plan;
  std::int64_t read = 0;
  for (std::int64_t g = 0; g < groups; ++g) {
    // The rows of pixels that this group stands for, and its rows in their middle.
    const Range stands{g * pixel_rows / groups, (g + 1) * pixel_rows / groups};
    const Range covered{stands.begin * cells.rows, std::min(stands.end * cells.rows, rows)};
    const std::int64_t size = std::min(group, covered.size());
    const std::int64_t middle = covered.begin + (covered.size() - size) / 2;
    const std::int64_t begin = std::max(covered.begin, middle - middle % group);
    plan.groups.push_back({{begin, begin + size}, stands});
    read += size;
  }
  if (read > 0) plan.one_of_rows = std::max<std::int64_t>(1, (rows + read / 2) / read);
  return plan;
}

CoarsePixels coarse_pixels(const PyramidSource& source, PixelCells cells, Pooling pooling, std::int64_t most_cells,
                           const CancelToken& cancel) {
  const std::int64_t rows = source.matrix.dim(0), columns = source.matrix.dim(1);
  const CoarsePlan plan = coarse_plan(source, cells, most_cells);
  CoarsePixels result;
  result.pixels = PooledPixels(parts_over(rows, cells.rows), parts_over(columns, cells.columns));
  result.one_of_rows = plan.one_of_rows;
  PooledPixels& pixels = result.pixels;
  for (const CoarseGroup& group : plan.groups) {
    const PooledPixels line =
        pool_cells(source, group.cells, {0, columns}, {group.cells.size(), cells.columns}, pooling, cancel);
    for (std::int64_t y = group.pixels.begin; y < group.pixels.end; ++y) {
      std::copy(line.values.begin(), line.values.end(), pixels.values.begin() + y * pixels.columns);
      std::copy(line.counts.begin(), line.counts.end(), pixels.counts.begin() + y * pixels.columns);
    }
  }
  return result;
}

std::optional<ChosenCell> chosen_cell(const PyramidSource& source, Range rows, Range columns,
                                      const CancelToken& cancel) {
  // Row by row, since the pixel's value says where to look only after all rows were seen.
  std::optional<ChosenCell> best;
  const PooledPixels lines = pool_cells(source, rows, columns, {1, columns.size()}, Pooling::max, cancel);
  for (std::int64_t i = 0; i < lines.rows; ++i) {
    const float value = lines.values[static_cast<std::size_t>(i)];
    if (lines.hidden(i, 0)) continue;
    const bool better =
        !best || (std::isnan(value) ? !std::isnan(best->value) : !std::isnan(best->value) && beats(value, best->value));
    if (better) best = ChosenCell{rows.begin + i, columns.begin, value};
  }
  if (!best) return best;
  const PooledPixels cells = pool_cells(source, {best->row, best->row + 1}, columns, {1, 1}, Pooling::max, cancel);
  for (std::int64_t j = 0; j < cells.columns; ++j) {
    const float value = cells.values[static_cast<std::size_t>(j)];
    if (cells.hidden(0, j) || !(value == best->value || (std::isnan(value) && std::isnan(best->value)))) continue;
    best->column = columns.begin + j;
    break;
  }
  return best;
}

}  // namespace headscope

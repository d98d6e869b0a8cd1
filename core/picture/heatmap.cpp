#include "core/picture/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/assert.h"

namespace headscope {

namespace {

constexpr float kSliver = 1.0F / 64;  // a cell that reaches less far into a pixel belongs to the next pixel
constexpr Rgba kWhite{255, 255, 255, 255};

int rounded(double value) {
  return static_cast<int>(std::floor(value + 0.5));
}

// What a pixel shows: the cell that was chosen among those under it.
struct Sample {
  enum class Kind : std::uint8_t { outside, hidden, value, nan } kind = Kind::outside;
  float value = 0;
  std::int64_t row = 0;
};

// The cells of one axis that each pixel shows, cut to the matrix.
std::vector<Range> pixel_cells(const AxisWindow& window, int pixels, std::int64_t cells) {
  std::vector<Range> ranges;
  ranges.reserve(static_cast<std::size_t>(pixels));
  for (int p = 0; p < pixels; ++p) {
    ranges.push_back({std::max<std::int64_t>(window.first_cell(p), 0), std::min(window.end_cell(p), cells)});
  }
  return ranges;
}

// Which pixels are the last ones of their cell.
std::vector<bool> line_pixels(const AxisWindow& window, int pixels, int line) {
  std::vector<bool> on_line;
  for (int p = 0; p < pixels; ++p) on_line.push_back(window.cell_under(p) != window.cell_under(p + line));
  return on_line;
}

// Where in its cell, in [0, 1), each pixel's centre is.
std::vector<float> places_in_cell(const AxisWindow& window, int pixels) {
  std::vector<float> places;
  for (int p = 0; p < pixels; ++p) {
    const float at = window.offset + (static_cast<float>(p) + 0.5F) * window.step;
    places.push_back(at - std::floor(at));
  }
  return places;
}

bool beats(float value, float best) {
  const float a = std::fabs(value), b = std::fabs(best);
  return a > b || (a == b && value > best);
}

class Painter {
 public:
  explicit Painter(const HeatmapSpec& spec)
      : spec_(spec),
        column_window_(axis_window(spec.column0, spec.columns, spec.width)),
        row_window_(axis_window(spec.row0, spec.rows, spec.height)),
        columns_(pixel_cells(column_window_, spec.width, spec.matrix.dim(1))),
        rows_(pixel_cells(row_window_, spec.height, spec.matrix.dim(0))),
        table_(color_table(spec.map)),
        colors_(palette(spec.theme)),
        cell_width_(spec.width / spec.columns),
        cell_height_(spec.height / spec.rows),
        cell_(std::min(cell_width_, cell_height_)),
        line_(std::max(1, rounded(spec.pixel_scale))),
        spacing_(std::max(2, rounded(5 * spec.pixel_scale))),
        marked_(cell_ >= 8 * spec.pixel_scale),
        samples_(static_cast<std::size_t>(spec.width)) {
    u_ = places_in_cell(column_window_, spec.width);
    v_ = places_in_cell(row_window_, spec.height);
    if (spec.grid && cell_ >= 12 * spec.pixel_scale) {
      vertical_line_ = line_pixels(column_window_, spec.width, line_);
      horizontal_line_ = line_pixels(row_window_, spec.height, line_);
    }
    for (const Range& range : columns_) {
      if (range.size() <= 0) continue;
      seen_.begin = seen_.size() > 0 ? std::min(seen_.begin, range.begin) : range.begin;
      seen_.end = std::max(seen_.end, range.end);
    }
    for (const Range& range : rows_) {
      if (range.size() <= 0) continue;
      if (first_row_ < 0) first_row_ = range.begin;
      if (spec.range.per_row && range.end > scaled_rows_end()) {
        const std::vector<ValueScale> more = row_scales(spec, std::max(scaled_rows_end(), range.begin), range.end);
        scales_.insert(scales_.end(), more.begin(), more.end());
      }
    }
    shared_scale_ = value_scale(spec.range);
  }

  Image draw() {
    Image image(spec_.width, spec_.height, colors_.well);
    Range loaded{-1, -1};
    for (int y = 0; y < spec_.height; ++y) {
      const Range& rows = rows_[static_cast<std::size_t>(y)];
      if (rows.size() <= 0 || seen_.size() <= 0) continue;
      if (rows != loaded) choose_samples(rows);
      loaded = rows;
      for (int x = 0; x < spec_.width; ++x) {
        if (samples_[static_cast<std::size_t>(x)].kind != Sample::Kind::outside) image.at(x, y) = pixel(x, y);
      }
    }
    return image;
  }

 private:
  std::int64_t scaled_rows_end() const { return first_row_ + static_cast<std::int64_t>(scales_.size()); }

  // Reads the rows and settles, for every pixel of a line over them, what it shows.
  void choose_samples(const Range& rows) {
    values_.resize(static_cast<std::size_t>(rows.size() * seen_.size()));
    spec_.matrix.read(Region{rows, seen_}, values_);
    std::fill(samples_.begin(), samples_.end(), Sample{});
    if (spec_.mask) hidden_.resize(static_cast<std::size_t>(seen_.size()));
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      const float* values = values_.data() + (i - rows.begin) * seen_.size() - seen_.begin;
      if (spec_.mask) spec_.mask->hidden.read_row(spec_.batch, spec_.head, i, hidden_, seen_.begin);
      const std::uint8_t* hidden = spec_.mask ? hidden_.data() - seen_.begin : nullptr;
      for (std::size_t x = 0; x < samples_.size(); ++x) {
        Sample& sample = samples_[x];
        for (std::int64_t j = columns_[x].begin; j < columns_[x].end; ++j) {
          if (std::isnan(values[j])) {
            sample = {Sample::Kind::nan, values[j], i};
          } else if (sample.kind == Sample::Kind::nan) {
            break;
          } else if (hidden != nullptr && hidden[j] != 0) {
            if (sample.kind == Sample::Kind::outside) sample.kind = Sample::Kind::hidden;
          } else if (sample.kind != Sample::Kind::value || beats(values[j], sample.value)) {
            sample = {Sample::Kind::value, values[j], i};
          }
        }
      }
    }
  }

  Rgba pixel(int x, int y) const {
    const std::size_t px = static_cast<std::size_t>(x), py = static_cast<std::size_t>(y);
    if (!vertical_line_.empty() && (vertical_line_[px] || horizontal_line_[py])) return colors_.panel;
    const Sample& sample = samples_[px];
    if (sample.kind == Sample::Kind::hidden) return marked_ && on_hatch(x, y) ? colors_.hatch : colors_.well;
    if (sample.kind == Sample::Kind::nan) return marked_ && on_cross(u_[px], v_[py]) ? kWhite : kNanColor;
    if (std::isinf(sample.value)) {
      return marked_ && on_triangle(u_[px], v_[py], sample.value > 0) ? kWhite : kNanColor;
    }
    const ValueScale& scale =
        spec_.range.per_row ? scales_[static_cast<std::size_t>(sample.row - first_row_)] : shared_scale_;
    return table_[static_cast<std::size_t>(scale.entry(sample.value))];
  }

  bool on_hatch(int x, int y) const {
    const int sum = x + spec_.hatch_x + y + spec_.hatch_y;
    return ((sum % spacing_) + spacing_) % spacing_ < line_;
  }

  bool on_cross(float u, float v) const {
    const float m = static_cast<float>(cell_), reach = 0.75F * static_cast<float>(spec_.pixel_scale);
    return std::fabs(u - v) * m < reach || std::fabs(u + v - 1) * m < reach;
  }

  bool on_triangle(float u, float v, bool up) const {
    const float p = (u - 0.5F) * static_cast<float>(cell_width_ / cell_);
    const float q = (up ? 1.0F : -1.0F) * (v - 0.5F) * static_cast<float>(cell_height_ / cell_);
    return std::fabs(q) < 0.203F && std::fabs(p) < (q + 0.203F) * 0.677F;
  }

  const HeatmapSpec& spec_;
  AxisWindow column_window_, row_window_;
  std::vector<Range> columns_, rows_;
  const std::array<Rgba, 256>& table_;
  const Palette& colors_;
  double cell_width_, cell_height_, cell_;
  int line_, spacing_;
  bool marked_;
  std::vector<Sample> samples_;
  std::vector<float> u_, v_, values_;
  std::vector<std::uint8_t> hidden_;                   // of the columns that are read
  std::vector<bool> vertical_line_, horizontal_line_;  // empty: no grid
  Range seen_;                                         // columns of the matrix that are read
  std::int64_t first_row_ = -1;
  std::vector<ValueScale> scales_;  // of the rows from first_row_, when per row
  ValueScale shared_scale_;
};

}  // namespace

bool operator==(const HeatmapSpec& a, const HeatmapSpec& b) {
  return same_storage(a.matrix, b.matrix) && a.mask == b.mask && a.batch == b.batch && a.head == b.head &&
         a.row0 == b.row0 && a.column0 == b.column0 && a.rows == b.rows && a.columns == b.columns &&
         a.width == b.width && a.height == b.height && a.map == b.map && a.range == b.range && a.theme == b.theme &&
         a.hatch_x == b.hatch_x && a.hatch_y == b.hatch_y && a.pixel_scale == b.pixel_scale && a.grid == b.grid;
}

std::int64_t AxisWindow::cell_under(int pixel) const {
  return first + static_cast<std::int64_t>(std::floor(offset + (static_cast<float>(pixel) + 0.5F) * step));
}

std::int64_t AxisWindow::first_cell(int pixel) const {
  if (step <= 1) return cell_under(pixel);
  return first + static_cast<std::int64_t>(std::floor(offset + static_cast<float>(pixel) * step + kSliver));
}

std::int64_t AxisWindow::end_cell(int pixel) const {
  if (step <= 1) return cell_under(pixel) + 1;
  const float end = offset + (static_cast<float>(pixel) + 1) * step - kSliver;
  return std::max(first_cell(pixel) + 1, first + static_cast<std::int64_t>(std::ceil(end)));
}

AxisWindow axis_window(double begin, double count, int pixels) {
  const double first = std::floor(begin);
  return {static_cast<std::int64_t>(first), static_cast<float>(begin - first), static_cast<float>(count / pixels)};
}

Image draw_heatmap(const HeatmapSpec& spec) {
  HEADSCOPE_ASSERT(spec.matrix.rank() == 2, "a heatmap is a matrix, not " + to_string(spec.matrix.shape()));
  HEADSCOPE_ASSERT(spec.width > 0 && spec.height > 0 && spec.rows > 0 && spec.columns > 0,
                   fmt::format("{} x {} pixels of {} x {} cells", spec.width, spec.height, spec.rows, spec.columns));
  if (spec.mask) {
    const HiddenCells& hidden = spec.mask->hidden;
    HEADSCOPE_ASSERT(hidden.query_len() == spec.matrix.dim(0) && hidden.key_len() == spec.matrix.dim(1),
                     fmt::format("a mask of [{}, {}] on a matrix of {}", hidden.query_len(), hidden.key_len(),
                                 to_string(spec.matrix.shape())));
  }
  return Painter(spec).draw();
}

}  // namespace headscope

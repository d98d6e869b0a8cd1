#include "core/picture/heatmap_painter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/picture/map_pixels.h"

namespace headscope {

namespace {

constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 23;
constexpr Rgba kWhite{255, 255, 255, 255}, kBlack{0, 0, 0, 255};

int rounded(double value) {
  return static_cast<int>(std::floor(value + 0.5));
}

// From the first to the last cell that any of the pixels shows.
Range cells_under(const std::vector<Range>& pixels, std::size_t begin, std::size_t end) {
  Range all;
  for (std::size_t p = begin; p < end; ++p) {
    const Range& range = pixels[p];
    if (range.size() <= 0) continue;
    all.begin = all.size() > 0 ? std::min(all.begin, range.begin) : range.begin;
    all.end = std::max(all.end, range.end);
  }
  return all;
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

}  // namespace

HeatmapPainter::HeatmapPainter(const HeatmapSpec& spec)
    : spec_(spec.pixels != nullptr ? of_chosen_pixels(spec) : spec),
      column_window_(axis_window(spec_.column0, spec_.columns, spec_.width)),
      row_window_(axis_window(spec_.row0, spec_.rows, spec_.height)),
      columns_(pixel_cells(column_window_, spec_.width, spec_.matrix.dim(1))),
      rows_(pixel_cells(row_window_, spec_.height, spec_.matrix.dim(0))),
      table_(color_table(spec_.map)),
      colors_(palette(spec_.theme)),
      cell_width_(spec_.width / spec_.columns),
      cell_height_(spec_.height / spec_.rows),
      cell_(std::min(cell_width_, cell_height_)),
      line_(std::max(1, rounded(spec_.pixel_scale))),
      spacing_(std::max(2, rounded(5 * spec_.pixel_scale))),
      marked_(cell_ >= 8 * spec_.pixel_scale),
      marks_cells_(marked_ && spec_.mask != nullptr && spec_.mask->marked.any()),
      seen_(cells_under(columns_, 0, columns_.size())),
      shared_scale_(value_scale(spec_.range)) {
  if (marked_) {
    u_ = places_in_cell(column_window_, spec_.width);
    v_ = places_in_cell(row_window_, spec_.height);
  }
  if (spec_.grid && cell_ >= 12 * spec_.pixel_scale) {
    vertical_line_ = line_pixels(column_window_, spec_.width, line_);
    horizontal_line_ = line_pixels(row_window_, spec_.height, line_);
  }
  plain_ = !marked_ && vertical_line_.empty() && column_window_.step <= 1 && row_window_.step <= 1;
  direct_ = plain_ && seen_.size() == std::ssize(columns_);
  for (std::size_t x = 0; direct_ && x < columns_.size(); ++x) {
    direct_ = columns_[x] == Range{seen_.begin + std::int64_t(x), seen_.begin + std::int64_t(x) + 1};
  }
  const double cells_a_row = static_cast<double>(std::max<std::int64_t>(seen_.size(), 1)) * spec_.rows / spec_.height;
  rows_at_once_ = static_cast<int>(std::clamp(static_cast<double>(kCellsAtOnce) / cells_a_row, 1.0, 1e6));
}

void HeatmapPainter::load(int begin, int end) {
  loaded_ = cells_under(rows_, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  if (loaded_.size() <= 0 || seen_.size() <= 0) return;
  if (!spec_.matrix.stored() || spec_.matrix.strides()[1] != 1) {
    values_.resize(static_cast<std::size_t>(loaded_.size() * seen_.size()));
    spec_.matrix.read(Region{loaded_, seen_}, values_);
  }
  if (spec_.range.per_row) scales_ = row_scales(spec_, loaded_.begin, loaded_.end);
}

void HeatmapPainter::draw(int begin, int end, Rgba* to, std::int64_t stride, int columns) const {
  Scratch scratch;
  Range drawn{-1, -1};
  for (int y = begin; y < end; ++y, to += stride) {
    const Range& rows = rows_[static_cast<std::size_t>(y)];
    if (rows.size() <= 0 || seen_.size() <= 0) {
      std::fill(to, to + columns, colors_.well);
    } else if (plain_) {
      if (rows == drawn) {
        std::memcpy(to, to - stride, static_cast<std::size_t>(columns) * sizeof(Rgba));
      } else {
        draw_cells(rows, to, columns, scratch);
      }
    } else {
      if (rows != drawn) choose_samples(rows, scratch);
      for (int x = 0; x < columns; ++x) to[x] = pixel(scratch.samples[static_cast<std::size_t>(x)], x, y);
    }
    drawn = rows;
  }
}

const float* HeatmapPainter::row_values(std::int64_t row) const {
  if (spec_.matrix.stored() && spec_.matrix.strides()[1] == 1) {
    return spec_.matrix.data() + row * spec_.matrix.strides()[0];
  }
  return values_.data() + (row - loaded_.begin) * seen_.size() - seen_.begin;
}

const std::uint8_t* HeatmapPainter::row_hidden(std::int64_t row, Scratch& scratch) const {
  if (!spec_.mask) return nullptr;
  scratch.hidden.resize(static_cast<std::size_t>(seen_.size()));
  spec_.mask->hidden.read_row(spec_.batch, spec_.head, row, scratch.hidden, seen_.begin);
  return scratch.hidden.data() - seen_.begin;
}

const ValueScale& HeatmapPainter::scale_of(std::int64_t row) const {
  return spec_.range.per_row ? scales_[static_cast<std::size_t>(row - loaded_.begin)] : shared_scale_;
}

// ---- one cell a pixel, or more pixels a cell: colours of cells, then pixels

void HeatmapPainter::draw_cells(const Range& rows, Rgba* to, int columns, Scratch& scratch) const {
  const std::uint8_t* hidden = row_hidden(rows.begin, scratch);
  if (direct_) {
    color_cells(rows.begin, {seen_.begin, seen_.begin + columns}, hidden, to);
    return;
  }
  scratch.cells.resize(static_cast<std::size_t>(seen_.size()));
  color_cells(rows.begin, seen_, hidden, scratch.cells.data());
  const Rgba* cells = scratch.cells.data() - seen_.begin;
  for (int x = 0; x < columns; ++x) {
    const Range& cell = columns_[static_cast<std::size_t>(x)];
    to[x] = cell.size() > 0 ? cells[cell.begin] : colors_.well;
  }
}

// The same as pixel() where there are no marks, in loops that a compiler makes wide.
void HeatmapPainter::color_cells(std::int64_t row, Range cells, const std::uint8_t* hidden, Rgba* to) const {
  constexpr std::uint32_t kInfinity = 0x7F800000U, kMagnitude = 0x7FFFFFFFU;
  constexpr std::uint32_t kNotFinite = 256, kHidden = 257;
  std::array<Rgba, 258> table;
  std::copy(table_.begin(), table_.end(), table.begin());
  table[kNotFinite] = kNanColor;
  table[kHidden] = colors_.well;
  const ValueScale scale = scale_of(row);
  const float* values = row_values(row);
  constexpr std::int64_t kPart = 1024;
  std::array<std::uint32_t, kPart> entries;
  for (std::int64_t first = cells.begin; first < cells.end; first += kPart) {
    const std::int64_t count = std::min(kPart, cells.end - first);
    const float* part = values + first;
    if (scale.log) {
      for (std::int64_t k = 0; k < count; ++k) {
        entries[static_cast<std::size_t>(k)] =
            std::isfinite(part[k]) ? static_cast<std::uint32_t>(scale.entry(part[k])) : kNotFinite;
      }
    } else {
      for (std::int64_t k = 0; k < count; ++k) {
        float t = (part[k] - scale.low) * scale.scale + scale.offset;
        t = t > 0.0F ? t : 0.0F;
        t = t < 255.0F ? t : 255.0F;
        const bool finite = (std::bit_cast<std::uint32_t>(part[k]) & kMagnitude) < kInfinity;
        entries[static_cast<std::size_t>(k)] = finite ? static_cast<std::uint32_t>(static_cast<int>(t)) : kNotFinite;
      }
    }
    if (hidden != nullptr) {
      for (std::int64_t k = 0; k < count; ++k) {
        const bool nan = (std::bit_cast<std::uint32_t>(part[k]) & kMagnitude) > kInfinity;
        const std::uint32_t entry = entries[static_cast<std::size_t>(k)];
        entries[static_cast<std::size_t>(k)] = hidden[first + k] != 0 && !nan ? kHidden : entry;
      }
    }
    Rgba* pixels = to + (first - cells.begin);
    for (std::int64_t k = 0; k < count; ++k) pixels[k] = table[entries[static_cast<std::size_t>(k)]];
  }
}

// ---- marks and lines

Rgba HeatmapPainter::pixel(const Sample& sample, int x, int y) const {
  if (sample.kind == Sample::Kind::outside) return colors_.well;
  const std::size_t px = static_cast<std::size_t>(x), py = static_cast<std::size_t>(y);
  if (!vertical_line_.empty() && (vertical_line_[px] || horizontal_line_[py])) return colors_.panel;
  if (sample.kind == Sample::Kind::hidden) return marked_ && on_hatch(x, y) ? colors_.hatch : colors_.well;
  if (sample.kind == Sample::Kind::nan) return marked_ && on_cross(u_[px], v_[py]) ? kWhite : kNanColor;
  if (std::isinf(sample.value)) {
    return marked_ && on_triangle(u_[px], v_[py], sample.value > 0) ? kWhite : kNanColor;
  }
  const Rgba color = table_[static_cast<std::size_t>(scale_of(sample.row).entry(sample.value))];
  return marks_cells_ && sample.value != 0 ? with_corner(color, x, y) : color;
}

Rgba HeatmapPainter::with_corner(Rgba color, int x, int y) const {
  const std::size_t px = static_cast<std::size_t>(x), py = static_cast<std::size_t>(y);
  const float from = u_[px] * static_cast<float>(cell_width_) + v_[py] * static_cast<float>(cell_height_);
  const float scale = static_cast<float>(spec_.pixel_scale);
  if (!(from < 8.3F * scale)) return color;
  const std::int64_t row = row_window_.cell_under(y), column = column_window_.cell_under(x);
  if (!spec_.mask->marked.hidden(spec_.batch, spec_.head, row, column)) return color;
  return from < 6.3F * scale ? kWhite : kBlack;
}

bool HeatmapPainter::on_hatch(int x, int y) const {
  const int sum = x + spec_.hatch_x + y + spec_.hatch_y;
  return ((sum % spacing_) + spacing_) % spacing_ < line_;
}

bool HeatmapPainter::on_cross(float u, float v) const {
  const float m = static_cast<float>(cell_), reach = 0.75F * static_cast<float>(spec_.pixel_scale);
  return std::fabs(u - v) * m < reach || std::fabs(u + v - 1) * m < reach;
}

bool HeatmapPainter::on_triangle(float u, float v, bool up) const {
  const float p = (u - 0.5F) * static_cast<float>(cell_width_ / cell_);
  const float q = (up ? 1.0F : -1.0F) * (v - 0.5F) * static_cast<float>(cell_height_ / cell_);
  return std::fabs(q) < 0.203F && std::fabs(p) < (q + 0.203F) * 0.677F;
}

}  // namespace headscope

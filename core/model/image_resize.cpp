#include "core/model/image_resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/base/assert.h"

namespace headscope {
namespace {

double sinc(double x) {
  if (x == 0) return 1;
  return std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

double lanczos(double x) {
  return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0;
}

double bilinear(double x) {
  return std::max(1 - std::abs(x), 0.0);
}

double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

double box(double x) {
  return x > -0.5 && x <= 0.5 ? 1 : 0;
}

double hamming(double x) {
  return std::abs(x) < 1 ? sinc(x) * (0.54 + 0.46 * std::cos(std::numbers::pi * x)) : 0;
}

constexpr std::array kFilters = {
    ResampleFilter{1, "lanczos", 3, lanczos}, ResampleFilter{2, "bilinear", 1, bilinear},
    ResampleFilter{3, "bicubic", 2, bicubic}, ResampleFilter{4, "box", 0.5, box},
    ResampleFilter{5, "hamming", 1, hamming},
};

constexpr int kBits = 22;  // of a weight below 1
constexpr std::int64_t kHalf = std::int64_t{1} << (kBits - 1);

struct WholeRow {
  std::int64_t begin = 0;
  std::vector<std::int64_t> weights;
};

std::vector<WholeRow> whole_rows(std::int64_t from, std::int64_t to, const ResampleFilter& filter) {
  std::vector<WholeRow> rows;
  for (const ResampleRow& row : resample_rows(from, to, filter)) {
    WholeRow whole{row.begin, {}};
    for (const double weight : row.weights) {
      const double scaled = weight * static_cast<double>(std::int64_t{1} << kBits);
      whole.weights.push_back(static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5)));  // towards zero
    }
    rows.push_back(std::move(whole));
  }
  return rows;
}

std::uint8_t eight_bits(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kBits, 0, 255));
}

// The pixel that a row makes of `pixels`, which lie `step` apart.
Rgba mixed(const WholeRow& row, const Rgba* pixels, std::ptrdiff_t step) {
  std::int64_t r = kHalf, g = kHalf, b = kHalf;
  const Rgba* from = pixels + row.begin * step;
  for (const std::int64_t weight : row.weights) {
    r += weight * from->r;
    g += weight * from->g;
    b += weight * from->b;
    from += step;
  }
  return {eight_bits(r), eight_bits(g), eight_bits(b), 255};
}

}  // namespace

std::span<const ResampleFilter> resample_filters() {
  return kFilters;
}

const ResampleFilter& bicubic_filter() {
  return kFilters[2];
}

std::vector<ResampleRow> resample_rows(std::int64_t from, std::int64_t to, const ResampleFilter& filter) {
  HEADSCOPE_ASSERT(from > 0 && to > 0, std::to_string(from) + " to " + std::to_string(to));
  const double scale = static_cast<double>(from) / static_cast<double>(to), wide = std::max(scale, 1.0);
  const double reach = filter.support * wide;
  std::vector<ResampleRow> rows(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    ResampleRow& row = rows[static_cast<std::size_t>(i)];
    row.begin = std::max<std::int64_t>(static_cast<std::int64_t>(centre - reach + 0.5), 0);
    const std::int64_t end = std::min(static_cast<std::int64_t>(centre + reach + 0.5), from);
    double sum = 0;
    for (std::int64_t x = row.begin; x < end; ++x) {
      row.weights.push_back(filter.weight((static_cast<double>(x) + 0.5 - centre) / wide));
      sum += row.weights.back();
    }
    for (double& weight : row.weights) weight /= sum;
  }
  return rows;
}

Image resized(const Image& image, int width, int height, const ResampleFilter& filter) {
  const std::vector<WholeRow> columns = whole_rows(image.width, width, filter);
  const std::vector<WholeRow> rows = whole_rows(image.height, height, filter);
  Image narrow(width, image.height);
  for (int y = 0; y < image.height; ++y) {
    const Rgba* line = &image.at(0, y);
    for (int x = 0; x < width; ++x) narrow.at(x, y) = mixed(columns[static_cast<std::size_t>(x)], line, 1);
  }
  Image result(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      result.at(x, y) = mixed(rows[static_cast<std::size_t>(y)], &narrow.at(x, 0), narrow.width);
    }
  }
  return result;
}

}  // namespace headscope

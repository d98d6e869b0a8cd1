#include "core/model/mask_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/npy.h"

namespace headscope {
namespace {

constexpr float kHidesBelow = -1e4F;

bool is_csv(const std::string& path) {
  if (path.ends_with(".csv")) return true;
  if (path.ends_with(".npy")) return false;
  throw UsageError(fmt::format("{}: a mask is written as .npy or .csv; give the file one of these names", path));
}

float written(MaskConvention convention, bool hidden) {
  switch (convention) {
    case MaskConvention::additive:
      return hidden ? -std::numeric_limits<float>::infinity() : 0.0F;
    case MaskConvention::hide:
      return hidden ? 1.0F : 0.0F;
    case MaskConvention::keep:
    case MaskConvention::key_padding:
      return hidden ? 0.0F : 1.0F;
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(convention)));
  return 0;
}

bool hides(MaskConvention convention, float value, const std::string& path) {
  if (convention == MaskConvention::additive) {
    if (value == 0.0F) return false;
    if (value <= kHidesBelow) return true;
    throw UsageError(fmt::format("{}: adds {}; only 0 and what hides can be painted. Use it as a mask file.", path,
                                 number_text(value)));
  }
  if (value != 0.0F && value != 1.0F) {
    throw UsageError(fmt::format("{}: holds {}; as {} every value is 0 or 1", path, number_text(value),
                                 mask_convention_name(convention)));
  }
  return (value == 1.0F) == (convention == MaskConvention::hide);
}

// What every query of (b, h) sees.
std::vector<std::uint8_t> row_of_all_queries(const HiddenCells& hidden, std::int64_t b, std::int64_t h,
                                             const std::string& path) {
  std::vector<std::uint8_t> first(static_cast<std::size_t>(hidden.key_len())), row = first;
  hidden.read_row(b, h, 0, first);
  for (std::int64_t i = 1; i < hidden.query_len(); ++i) {
    hidden.read_row(b, h, i, row);
    if (row == first) continue;
    throw UsageError(
        fmt::format("{}: query {} sees other keys than query 0; key-padding says one thing for all queries", path, i));
  }
  return first;
}

}  // namespace

std::string_view mask_convention_name(MaskConvention convention) {
  constexpr std::string_view kNames[] = {"additive", "keep", "hide", "key-padding"};
  return kNames[static_cast<std::size_t>(convention)];
}

void write_mask_file(const std::string& path, MaskConvention convention, const HiddenCells& hidden, std::int64_t b,
                     std::int64_t h, bool extra_key) {
  const bool csv = is_csv(path);
  const bool padding = convention == MaskConvention::key_padding;
  const std::int64_t keys = hidden.key_len() - (extra_key ? 1 : 0);
  const std::int64_t rows = padding ? hidden.batch() : hidden.query_len();
  std::vector<std::uint8_t> row(static_cast<std::size_t>(hidden.key_len()));
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (padding) {
      row = row_of_all_queries(hidden, i, h, path);
    } else {
      hidden.read_row(b, h, i, row);
    }
    for (std::int64_t j = 0; j < keys; ++j)
      values.push_back(written(convention, row[static_cast<std::size_t>(j)] != 0));
  }
  const Tensor tensor = Tensor::of({rows, keys}, {Axis::query, Axis::key}, values);
  write_file_atomically(
      path,
      [&](std::ostream& out) {
        if (!csv && convention == MaskConvention::additive) return write_npy(out, tensor);
        if (!csv) return write_boolean_npy(out, tensor);
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < keys; ++j) {
            out << (j == 0 ? "" : ",") << number_text(values[static_cast<std::size_t>(i * keys + j)]);
          }
          out << '\n';
        }
      },
      Replaces::masks);
}

std::vector<std::uint8_t> read_mask_file(const std::string& path, MaskConvention convention, std::int64_t query_len,
                                         std::int64_t key_len, std::int64_t text) {
  const Tensor file = is_csv(path) ? read_csv_matrix(path) : read_npy(path).tensor;
  const int rank = file.rank();
  const bool padding = convention == MaskConvention::key_padding;
  bool fits = rank >= 1 && file.dim(rank - 1) == key_len;
  if (padding) {
    for (int axis = 1; axis + 1 < rank; ++axis) fits = fits && file.dim(axis) == 1;
  } else {
    fits = fits && (rank == 1 || file.dim(rank - 2) == query_len || file.dim(rank - 2) == 1);
    for (int axis = 0; axis + 2 < rank; ++axis) fits = fits && file.dim(axis) == 1;
  }
  if (!fits) {
    throw UsageError(padding ? fmt::format("{}: is {}; expected [texts, {}], a row of {} for every text", path,
                                           to_string(file.shape()), key_len, key_len)
                             : fmt::format("{}: is {}; expected [{}, {}], or one row of {}", path,
                                           to_string(file.shape()), query_len, key_len, key_len));
  }
  const std::int64_t rows = file.size() / key_len;
  if (padding && (text < 0 || text >= rows)) {
    throw UsageError(fmt::format("{}: has {} of {}; there is no row {}", path,
                                 rows == 1 ? "one row" : fmt::format("rows 0 to {}", rows - 1), key_len, text));
  }
  const std::vector<float> values = file.values();
  std::vector<std::uint8_t> hidden;
  hidden.reserve(static_cast<std::size_t>(query_len * key_len));
  for (std::int64_t i = 0; i < query_len; ++i) {
    const std::int64_t row = padding ? text : rows == 1 ? 0 : i;
    for (std::int64_t j = 0; j < key_len; ++j) {
      hidden.push_back(hides(convention, values[static_cast<std::size_t>(row * key_len + j)], path) ? 1 : 0);
    }
  }
  return hidden;
}

}  // namespace headscope

#include "core/io/mask_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/assert.h"
#include "core/error.h"
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

}  // namespace

std::string_view mask_convention_name(MaskConvention convention) {
  constexpr std::string_view kNames[] = {"additive", "keep", "hide", "key-padding"};
  return kNames[static_cast<std::size_t>(convention)];
}

void write_mask_file(const std::string& path, MaskConvention convention, const HiddenCells& hidden, std::int64_t b,
                     std::int64_t h, bool extra_key) {
  const bool csv = is_csv(path);
  const std::int64_t keys = hidden.key_len() - (extra_key ? 1 : 0);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(keys)), first = row;
  std::vector<float> values;
  std::int64_t rows = hidden.query_len();
  for (std::int64_t i = 0; i < rows; ++i) {
    hidden.read_row(b, h, i, row);
    if (i == 0) first = row;
    if (convention == MaskConvention::key_padding && i > 0) {
      if (row == first) continue;
      throw UsageError(fmt::format(
          "{}: query {} sees other keys than query 0; key-padding says one thing for all queries", path, i));
    }
    for (const std::uint8_t cell : row) values.push_back(written(convention, cell != 0));
  }
  if (convention == MaskConvention::key_padding) rows = 1;
  const Tensor tensor = Tensor::of({rows, keys}, {Axis::query, Axis::key}, values);
  write_file_atomically(path, [&](std::ostream& out) {
    if (!csv && convention == MaskConvention::additive) return write_npy(out, tensor);
    if (!csv) return write_boolean_npy(out, tensor);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < keys; ++j) {
        out << (j == 0 ? "" : ",") << number_text(values[static_cast<std::size_t>(i * keys + j)]);
      }
      out << '\n';
    }
  });
}

std::vector<std::uint8_t> read_mask_file(const std::string& path, MaskConvention convention, std::int64_t query_len,
                                         std::int64_t key_len) {
  const Tensor file = is_csv(path) ? read_csv_matrix(path) : read_npy(path).tensor;
  const int rank = file.rank();
  bool fits = rank >= 1 && file.dim(rank - 1) == key_len &&
              (rank == 1 || file.dim(rank - 2) == query_len || file.dim(rank - 2) == 1);
  for (int axis = 0; axis + 2 < rank; ++axis) fits = fits && file.dim(axis) == 1;
  if (!fits) {
    throw UsageError(fmt::format("{}: is {}; expected [{}, {}], or one row of {}", path, to_string(file.shape()),
                                 query_len, key_len, key_len));
  }
  const std::vector<float> values = file.values();
  std::vector<std::uint8_t> hidden;
  hidden.reserve(static_cast<std::size_t>(query_len * key_len));
  for (std::int64_t i = 0; i < query_len; ++i) {
    for (std::int64_t j = 0; j < key_len; ++j) {
      const std::size_t at = values.size() == static_cast<std::size_t>(key_len)
                                 ? static_cast<std::size_t>(j)
                                 : static_cast<std::size_t>(i * key_len + j);
      hidden.push_back(hides(convention, values[at], path) ? 1 : 0);
    }
  }
  return hidden;
}

}  // namespace headscope

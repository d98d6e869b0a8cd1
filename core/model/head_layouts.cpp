#include "core/model/head_layouts.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

const Axes kHeadAxes = {Axis::batch, Axis::head, Axis::position, Axis::feature};

// A file with its axes in order; nullopt where the reading has other axes, or another number of heads.
using ReadAxes = std::optional<Tensor> (*)(const Tensor& file, std::int64_t heads);

std::optional<Tensor> heads_before_len(const Tensor& file, std::int64_t) {
  if (file.rank() != 4) return std::nullopt;
  return file.reshaped(file.shape(), kHeadAxes);
}

std::optional<Tensor> len_before_heads(const Tensor& file, std::int64_t) {
  if (file.rank() != 4) return std::nullopt;
  return heads_first(file);
}

std::optional<Tensor> rows_of_heads(const Tensor& file, std::int64_t heads) {
  if (file.rank() != 3 || heads <= 0 || file.dim(2) % heads != 0) return std::nullopt;
  const Shape split{file.dim(0), file.dim(1), heads, file.dim(2) / heads};
  return heads_first(file.reshaped(split, {Axis::batch, Axis::position, Axis::head, Axis::feature}));
}

std::optional<Tensor> items_of_heads(const Tensor& file, std::int64_t heads) {
  if (file.rank() != 3 || heads <= 0 || file.dim(0) % heads != 0) return std::nullopt;
  return file.reshaped({file.dim(0) / heads, heads, file.dim(1), file.dim(2)}, kHeadAxes);
}

std::optional<Tensor> heads_of_one(const Tensor& file, std::int64_t heads) {
  if (file.rank() != 3 || (heads > 0 && heads != file.dim(0))) return std::nullopt;
  return file.reshaped({1, file.dim(0), file.dim(1), file.dim(2)}, kHeadAxes);
}

std::optional<Tensor> len_of_one(const Tensor& file, std::int64_t heads) {
  if (file.rank() != 3 || (heads > 0 && heads != file.dim(1))) return std::nullopt;
  return heads_first(file.reshaped({1, file.dim(0), file.dim(1), file.dim(2)}, kHeadAxes));
}

// A row gives a reading of files of so many axes, and the layout that says so.
struct LayoutRow {
  const char* as;
  HeadsLayout layout;
  ReadAxes read;
  bool usual = false;
};
constexpr LayoutRow kRows[] = {
    {"[batch, heads, len, head_dim]", HeadsLayout::bhsd, heads_before_len, true},
    {"[batch, len, heads, head_dim]", HeadsLayout::bshd, len_before_heads},
    {"[batch, len, heads * head_dim]", HeadsLayout::bshd, rows_of_heads, true},
    {"[batch * heads, len, head_dim]", HeadsLayout::bhsd, items_of_heads},
    {"[heads, len, head_dim]", HeadsLayout::bhsd, heads_of_one},
    {"[len, heads, head_dim]", HeadsLayout::bshd, len_of_one},
};

// The reading of one file; of one with another number of axes than the queries, rows of several heads where nothing
// says otherwise, else the first of its own that the same layout says.
std::optional<Tensor> read_like(const LayoutRow& row, const Tensor& file, std::int64_t heads, int rank, bool said) {
  if (file.rank() == rank) return row.read(file, heads);
  if (!said) {
    if (std::optional<Tensor> rows = rows_of_heads(file, heads)) return rows;
  }
  for (const LayoutRow& other : kRows) {
    if (other.layout != row.layout) continue;
    if (std::optional<Tensor> read = other.read(file, heads)) return read;
  }
  return std::nullopt;
}

bool agree(const HeadArrays& a, std::int64_t heads) {
  if (heads > 0 && a.query.dim(1) != heads) return false;
  const Shape &q = a.query.shape(), &k = a.key.shape(), &v = a.value.shape();
  return q[0] == k[0] && k[0] == v[0] && q[3] == k[3] && k[1] == v[1] && k[2] == v[2] && q[1] % k[1] == 0;
}

// One number at the same place of the same file: the order of axes matters where an axis of 1 does not hide it.
bool same_arrays(const HeadReading& a, const HeadReading& b) {
  const auto same = [](const Tensor& x, const Tensor& y) {
    if (!(x.shape() == y.shape())) return false;
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (x.dim(axis) > 1 && x.strides()[axis] != y.strides()[axis]) return false;
    }
    return true;
  };
  return same(a.arrays.query, b.arrays.query) && same(a.arrays.key, b.arrays.key) &&
         same(a.arrays.value, b.arrays.value);
}

}  // namespace

Tensor heads_first(const Tensor& tensor) {
  const Tensor named = tensor.reshaped(tensor.shape(), {Axis::batch, Axis::position, Axis::head, Axis::feature});
  return named.permuted({0, 2, 1, 3});
}

std::vector<HeadReading> head_readings(const HeadArrays& found, const HeadCounts& counts, HeadsLayout layout,
                                       bool any) {
  std::vector<HeadReading> readings;
  const int rank = found.query.rank();
  const bool said = layout != HeadsLayout::automatic;
  for (const LayoutRow& row : kRows) {
    const bool packed = layout == HeadsLayout::thd;
    if (packed ? row.read != len_of_one : layout != HeadsLayout::automatic && layout != row.layout) continue;
    std::optional<Tensor> query = row.read(found.query, counts.heads);
    std::optional<Tensor> key = read_like(row, found.key, counts.kv_heads, rank, said);
    std::optional<Tensor> value = read_like(row, found.value, counts.kv_heads, rank, said);
    if (!query || !key || !value) continue;
    HeadReading reading{row.layout, row.as, {std::move(*query), std::move(*key), std::move(*value)}, row.usual};
    if (!any && !agree(reading.arrays, counts.heads)) continue;
    const bool known = std::any_of(readings.begin(), readings.end(),
                                   [&](const HeadReading& other) { return same_arrays(other, reading); });
    if (!known) readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace headscope

#include "core/attention/updated_stages.h"

#include <algorithm>
#include <functional>

namespace headscope {
namespace {

// A row of a region: its head, its number among all rows, the row that was computed anew for it if there is one.
struct UpdatedRow {
  std::int64_t b = 0, h = 0, number = 0;
  const UpdatedAttention::Row* anew = nullptr;
};

// Reads `before` and calls update_row(row, its cells) for every row of the region.
void read_updated(const Tensor& before, const UpdatedAttention& update, const Region& region, std::span<float> out,
                  const std::function<void(const UpdatedRow&, std::span<float>)>& update_row) {
  before.read(region, out);
  const std::int64_t heads = before.dim(1), len = before.dim(2);
  const auto width = static_cast<std::size_t>(region[3].size());
  const auto number_of = [&](const UpdatedAttention::Row& row) { return (row.b * heads + row.h) * len + row.i; };
  std::size_t at = 0;
  for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
    for (std::int64_t h = region[1].begin; h < region[1].end; ++h) {
      const std::int64_t first = (b * heads + h) * len + region[2].begin;
      auto anew = std::lower_bound(
          update.rows.begin(), update.rows.end(), first,
          [&](const UpdatedAttention::Row& row, std::int64_t number) { return number_of(row) < number; });
      for (std::int64_t number = first; number < first + region[2].size(); ++number, at += width) {
        const bool own = anew != update.rows.end() && number_of(*anew) == number;
        update_row({b, h, number, own ? &*anew : nullptr}, out.subspan(at, width));
        if (own) ++anew;
      }
    }
  }
}

void copy_part(const std::vector<float>& row, Range part, std::span<float> cells) {
  std::copy(row.begin() + part.begin, row.begin() + part.end, cells.begin());
}

void scale_row(std::span<float> cells, float factor) {
  for (float& cell : cells) cell *= factor;
}

const float* row_at(const Tensor& heads, std::int64_t b, std::int64_t h, std::int64_t i) {
  const Strides& strides = heads.strides();
  return heads.data() + b * strides[0] + h * strides[1] + i * strides[2];
}

}  // namespace

Tensor updated_weights(const Tensor& before, const std::shared_ptr<const UpdatedAttention>& update,
                       const std::vector<std::int64_t>& positions) {
  return Tensor::computed(before.shape(), before.axes(), [=](const Region& region, std::span<float> out) {
    const Range keys = region[3];
    read_updated(before, *update, region, out, [&](const UpdatedRow& row, std::span<float> cells) {
      if (row.anew != nullptr) return copy_part(row.anew->weights, keys, cells);
      scale_row(cells, update->factor.data()[row.number]);
      if (!(update->statistics.sum.data()[row.number] > 0.0F)) return;  // sees nothing
      for (std::size_t n = 0; n < positions.size(); ++n) {
        const std::int64_t j = positions[n];
        if (j < keys.begin || j >= keys.end) continue;
        const std::int64_t column = static_cast<std::int64_t>(n) * update->columns.dim(1);
        cells[static_cast<std::size_t>(j - keys.begin)] = update->columns.data()[column + row.number];
      }
    });
  });
}

Tensor updated_context(const Tensor& before, const std::shared_ptr<const UpdatedAttention>& update,
                       const ReplacedPositions& replaced, const std::shared_ptr<const Mask>& mask,
                       const std::vector<LayerHead>& ablated) {
  const auto read = [before, update, replaced, mask, ablated](const Region& region, std::span<float> out) {
    const Range features = region[3];
    const std::vector<std::int64_t>& positions = replaced.positions;
    const std::int64_t shared = before.dim(1) / replaced.value.dim(1), rows = update->columns.dim(1);
    read_updated(before, *update, region, out, [&](const UpdatedRow& row, std::span<float> cells) {
      if (std::any_of(ablated.begin(), ablated.end(), [&](const LayerHead& off) { return off.head == row.h; })) return;
      if (row.anew != nullptr) return copy_part(context_of(*row.anew, replaced, *mask), features, cells);
      scale_row(cells, update->factor.data()[row.number]);
      for (std::size_t n = 0; n < positions.size(); ++n) {
        const auto at = static_cast<std::int64_t>(n);
        const float added = update->columns.data()[at * rows + row.number];
        const float removed = update->removed.data()[at * rows + row.number];
        if (added == 0.0F && removed == 0.0F) continue;  // a key that the row does not see
        const float* was = row_at(replaced.value, row.b, row.h / shared, positions[n]) + features.begin;
        const float* is = row_at(replaced.new_value, row.b, row.h / shared, at) + features.begin;
        for (std::size_t d = 0; d < cells.size(); ++d) cells[d] += removed * was[d] + added * is[d];
      }
    });
  };
  return Tensor::computed(before.shape(), before.axes(), read);
}

}  // namespace headscope

#include "core/heads/grouped_mask.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace headscope {
namespace {

// Reads the groups' rows of a mask.
class GroupedRows {
 public:
  GroupedRows(const HiddenCells& hidden, const TokenGroups& groups)
      : hidden_(hidden), groups_(groups), row_(static_cast<std::size_t>(hidden.key_len())) {}

  // Row r in one batch item and head: `out` is 1 = hidden.
  void read(std::int64_t batch, std::int64_t head, std::size_t r, std::uint8_t* out) {
    std::fill_n(out, groups_.columns.size(), std::uint8_t{1});
    for (const std::int64_t i : groups_.rows[r]) {
      hidden_.read_row(batch, head, i, row_);
      for (std::size_t c = 0; c < groups_.columns.size(); ++c) {
        for (const std::int64_t j : groups_.columns[c]) out[c] &= row_[static_cast<std::size_t>(j)];
      }
    }
  }

 private:
  const HiddenCells& hidden_;
  const TokenGroups& groups_;
  std::vector<std::uint8_t> row_;
};

bool keeps_every_column(const TokenGroups& groups) {
  return std::none_of(groups.columns.begin(), groups.columns.end(), [](const auto& column) { return column.empty(); });
}

}  // namespace

std::shared_ptr<const Mask> mask_of(const std::vector<std::uint8_t>& hidden, std::int64_t rows, std::int64_t columns) {
  if (std::find(hidden.begin(), hidden.end(), 1) == hidden.end()) return nullptr;
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(hidden.begin() + i * columns, columns, mask->hidden.mutable_row(0, 0, i));
  }
  mask->hidden.refresh_any();
  return mask;
}

std::shared_ptr<const Mask> grouped_mask(const Mask& mask, std::int64_t batch, std::int64_t head,
                                         const TokenGroups& groups) {
  const std::size_t width = groups.columns.size();
  std::vector<std::uint8_t> hidden(groups.rows.size() * width, 1);
  GroupedRows rows(mask.hidden, groups);
  for (std::size_t r = 0; r < groups.rows.size(); ++r) {
    rows.read(batch, head, r, hidden.data() + r * width);
  }
  return mask_of(hidden, static_cast<std::int64_t>(groups.rows.size()), static_cast<std::int64_t>(width));
}

std::shared_ptr<const Mask> grouped_mask(const Mask& mask, const TokenGroups& groups) {
  auto grouped = std::make_shared<Mask>();
  HiddenCells& cells = grouped->hidden;
  cells = HiddenCells(mask.hidden.batch(), mask.hidden.heads(), std::ssize(groups.rows), std::ssize(groups.columns));
  if (!mask.hidden.any() && keeps_every_column(groups)) return grouped;
  GroupedRows rows(mask.hidden, groups);
  for (std::int64_t b = 0; b < cells.batch(); ++b) {
    for (std::int64_t h = 0; h < cells.heads(); ++h) {
      for (std::size_t r = 0; r < groups.rows.size(); ++r) {
        rows.read(b, h, r, cells.mutable_row(b, h, static_cast<std::int64_t>(r)));
      }
    }
  }
  cells.refresh_any();
  return grouped;
}

}  // namespace headscope

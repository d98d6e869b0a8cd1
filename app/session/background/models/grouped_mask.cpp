#include "app/session/background/models/grouped_mask.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace headscope {

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
  for (std::size_t r = 0; r < groups.rows.size(); ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      for (const std::int64_t i : groups.rows[r]) {
        for (const std::int64_t j : groups.columns[c]) {
          if (!mask.hidden.hidden(batch, head, i, j)) hidden[r * width + c] = 0;
        }
      }
    }
  }
  return mask_of(hidden, static_cast<std::int64_t>(groups.rows.size()), static_cast<std::int64_t>(width));
}

}  // namespace headscope

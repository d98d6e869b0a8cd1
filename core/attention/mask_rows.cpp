#include "core/attention/mask_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/assert.h"

namespace headscope {

std::vector<MaskRow> mask_rows(const HiddenCells& hidden, std::int64_t b, std::int64_t h, std::int64_t diagonal,
                               bool extra_key) {
  std::vector<MaskRow> rows(static_cast<std::size_t>(hidden.query_len()));
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(hidden.key_len()));
  const std::int64_t keys = hidden.key_len() - (extra_key ? 1 : 0);
  for (std::int64_t i = 0; i < hidden.query_len(); ++i) {
    hidden.read_row(b, h, i, cells);
    MaskRow& row = rows[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < hidden.key_len(); ++j) {
      if (cells[static_cast<std::size_t>(j)] != 0) continue;
      ++row.visible;
      if (j > i + diagonal && j < keys) ++row.later;
    }
  }
  return rows;
}

RowVerdict verdict_of(const MaskRow& row, const Request& request, bool causal) {
  if (row.visible == 0) {
    const bool as_computed = request.fully_masked == FullyMasked::as_computed;
    const bool finite = std::isfinite(request.mask_fill);
    return request.fully_masked == FullyMasked::uniform || (as_computed && finite) ? RowVerdict::uniform
                                                                                   : RowVerdict::hidden_whole;
  }
  if (row.later == 0) return RowVerdict::fine;
  return causal ? RowVerdict::leaks : RowVerdict::sees_later;
}

std::string verdict_text(const MaskRow& row, const Request& request, bool causal) {
  switch (verdict_of(row, request, causal)) {
    case RowVerdict::fine:
      return fmt::format("sees {}", row.visible);
    case RowVerdict::sees_later:
      return fmt::format("sees {}, {} later", row.visible, row.later);
    case RowVerdict::leaks:
      return fmt::format("leaks the future: {} later", row.later);
    case RowVerdict::hidden_whole:
      return request.fully_masked == FullyMasked::zero ? "hidden whole: zeros" : "hidden whole: NaN";
    case RowVerdict::uniform:
      return request.fully_masked == FullyMasked::uniform
                 ? "hidden whole: uniform"
                 : fmt::format("hidden whole: uniform by {:g}", request.mask_fill);
  }
  HEADSCOPE_ASSERT(false, std::to_string(row.visible));
  return {};
}

}  // namespace headscope

#include "core/attention/mask_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/assert.h"

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

void put_paint(Request& request, const PaintedCells& cells) {
  std::erase_if(request.paint, [&](const PaintedCells& other) {
    return cells.query_begin <= other.query_begin && other.query_end <= cells.query_end &&
           cells.key_begin <= other.key_begin && other.key_end <= cells.key_end;
  });
  request.paint.push_back(cells);
}

std::vector<std::uint8_t> cells_without_paint(const Trace& trace, std::int64_t b, std::int64_t h) {
  Request plain = trace.request;
  plain.paint.clear();
  std::erase(plain.variants, Variant::mask_inverted);
  const Inputs& inputs = *trace.inputs;
  const Mask mask = build_mask(plain, inputs.mask_files, inputs.batch, inputs.num_heads, inputs.query_len,
                               inputs.key_len, false, inputs.own_mask);
  const std::int64_t batch = mask.hidden.batch() == 1 ? 0 : b, head = mask.hidden.heads() == 1 ? 0 : h;
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(inputs.query_len * inputs.key_len));
  for (std::int64_t i = 0; i < inputs.query_len; ++i) {
    mask.hidden.read_row(batch, head, i,
                         std::span(cells).subspan(static_cast<std::size_t>(i * inputs.key_len),
                                                  static_cast<std::size_t>(inputs.key_len)));
  }
  return cells;
}

std::vector<PaintedCells> painted_as(const std::vector<std::uint8_t>& base, const std::vector<std::uint8_t>& wanted,
                                     std::int64_t query_len, std::int64_t key_len) {
  HEADSCOPE_ASSERT(base.size() == wanted.size() && static_cast<std::int64_t>(base.size()) == query_len * key_len,
                   std::to_string(wanted.size()));
  std::vector<PaintedCells> painted;
  std::vector<std::uint8_t> now = base;
  const auto at = [key_len](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * key_len + j); };
  // A whole column or row that is hidden throughout, where that changes something.
  for (std::int64_t j = 0; j < key_len; ++j) {
    bool all = true, changes = false;
    for (std::int64_t i = 0; i < query_len; ++i) {
      all = all && wanted[at(i, j)] != 0;
      changes = changes || now[at(i, j)] == 0;
    }
    if (!all || !changes) continue;
    painted.push_back({true, 0, PaintedCells::kToTheEnd, j, j + 1, true});
    for (std::int64_t i = 0; i < query_len; ++i) now[at(i, j)] = 1;
  }
  std::vector<PaintedCells> open;  // runs of the row before, which the next row may continue
  for (std::int64_t i = 0; i < query_len; ++i) {
    std::vector<PaintedCells> row;
    for (std::int64_t j = 0; j < key_len;) {
      if (wanted[at(i, j)] == now[at(i, j)]) {
        ++j;
        continue;
      }
      const bool hides = wanted[at(i, j)] != 0;
      std::int64_t end = j;
      while (end < key_len && wanted[at(i, end)] != now[at(i, end)] && (wanted[at(i, end)] != 0) == hides) ++end;
      row.push_back({hides, i, i + 1, j, end, true});
      j = end;
    }
    for (PaintedCells& run : row) {
      const auto above = std::find_if(open.begin(), open.end(), [&](const PaintedCells& other) {
        return other.hides == run.hides && other.key_begin == run.key_begin && other.key_end == run.key_end;
      });
      if (above != open.end()) {
        run.query_begin = above->query_begin;
        open.erase(above);
      }
    }
    painted.insert(painted.end(), open.begin(), open.end());
    open = std::move(row);
  }
  painted.insert(painted.end(), open.begin(), open.end());
  return painted;
}

}  // namespace headscope

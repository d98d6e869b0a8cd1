#include "core/attention/mask_paint.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include "core/base/assert.h"
#include "core/model/past.h"

namespace headscope {

namespace {

enum class Wish : std::uint8_t { none, hide, show };

// Runs of a row that have one wish, equal ones of neighbouring rows as one.
template <typename At>
std::vector<PaintedCells> rectangles_of(std::int64_t query_len, std::int64_t key_len, const At& at) {
  std::vector<PaintedCells> painted;
  std::vector<PaintedCells> open;  // runs of the row before, which the next row may continue
  for (std::int64_t i = 0; i < query_len; ++i) {
    std::vector<PaintedCells> row;
    for (std::int64_t j = 0; j < key_len;) {
      const Wish wish = at(i, j);
      std::int64_t end = j + 1;
      while (end < key_len && at(i, end) == wish) ++end;
      if (wish != Wish::none) row.push_back({wish == Wish::hide, i, i + 1, j, end, true});
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

// The same by columns where that makes fewer.
template <typename At>
std::vector<PaintedCells> fewest_rectangles_of(std::int64_t query_len, std::int64_t key_len, const At& at) {
  std::vector<PaintedCells> by_rows = rectangles_of(query_len, key_len, at);
  std::vector<PaintedCells> by_columns =
      rectangles_of(key_len, query_len, [&](std::int64_t j, std::int64_t i) { return at(i, j); });
  if (by_rows.size() <= by_columns.size()) return by_rows;
  for (PaintedCells& cells : by_columns) {
    std::swap(cells.query_begin, cells.key_begin);
    std::swap(cells.query_end, cells.key_end);
  }
  return by_columns;
}

// Whether it can be drawn on a grid of this size and found again there.
bool lies_within(const PaintedCells& cells, std::int64_t query_len, std::int64_t key_len) {
  return cells.on && cells.query_end <= query_len && cells.key_end <= key_len;
}

}  // namespace

void put_paint(Request& request, const PaintedCells& cells) {
  std::erase_if(request.paint, [&](const PaintedCells& other) {
    return cells.query_begin <= other.query_begin && other.query_end <= cells.query_end &&
           cells.key_begin <= other.key_begin && other.key_end <= cells.key_end;
  });
  request.paint.push_back(cells);
}

void erase_paint(Request& request, const PaintedCells& area) {
  std::vector<PaintedCells> left;
  for (const PaintedCells& cells : request.paint) {
    const std::int64_t top = std::max(cells.query_begin, area.query_begin),
                       bottom = std::min(cells.query_end, area.query_end),
                       from = std::max(cells.key_begin, area.key_begin), to = std::min(cells.key_end, area.key_end);
    if (!cells.on || top >= bottom || from >= to) {
      left.push_back(cells);
      continue;
    }
    // Above, below, and beside what is taken out.
    const PaintedCells around[] = {{cells.hides, cells.query_begin, top, cells.key_begin, cells.key_end, true},
                                   {cells.hides, bottom, cells.query_end, cells.key_begin, cells.key_end, true},
                                   {cells.hides, top, bottom, cells.key_begin, from, true},
                                   {cells.hides, top, bottom, to, cells.key_end, true}};
    for (const PaintedCells& part : around) {
      if (part.query_begin < part.query_end && part.key_begin < part.key_end) left.push_back(part);
    }
  }
  request.paint = std::move(left);
}

std::vector<std::uint8_t> cells_without_paint(const Trace& trace, std::int64_t b, std::int64_t h) {
  Request plain = with_past(trace.request, *trace.inputs);
  plain.paint.clear();
  std::erase(plain.variants, Variant::mask_inverted);
  const Inputs& inputs = *trace.inputs;
  const Mask mask = build_mask(
      plain, inputs.mask_files,
      {.batch = inputs.batch, .heads = inputs.num_heads, .query_len = inputs.query_len, .key_len = inputs.key_len},
      inputs.own_mask);
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
  const auto wish = [&](std::int64_t i, std::int64_t j) {
    const std::size_t cell = at(i, j);
    return wanted[cell] == now[cell] ? Wish::none : wanted[cell] != 0 ? Wish::hide : Wish::show;
  };
  const std::vector<PaintedCells> rest = rectangles_of(query_len, key_len, wish);
  painted.insert(painted.end(), rest.begin(), rest.end());
  return painted;
}

MaskStroke::MaskStroke(std::int64_t queries, std::int64_t keys)
    : query_len(queries), key_len(keys), cells(static_cast<std::size_t>(queries * keys), 0) {}

void MaskStroke::draw_line(std::int64_t query, std::int64_t key, std::int64_t to_query, std::int64_t to_key,
                           std::int64_t size) {
  const std::int64_t steps = std::max({std::abs(to_query - query), std::abs(to_key - key), std::int64_t{1}});
  for (std::int64_t k = 0; k <= steps; ++k) {
    const auto place = [&](std::int64_t from, std::int64_t to) {  // rounded to the nearest cell
      const std::int64_t far = (to - from) * k * 2 + (to < from ? -steps : steps);
      return from + far / (2 * steps);
    };
    const std::int64_t top = place(query, to_query) - size / 2, left = place(key, to_key) - size / 2;
    for (std::int64_t i = std::max<std::int64_t>(top, 0); i < std::min(top + size, query_len); ++i) {
      for (std::int64_t j = std::max<std::int64_t>(left, 0); j < std::min(left + size, key_len); ++j) {
        cells[static_cast<std::size_t>(i * key_len + j)] = 1;
      }
    }
  }
}

void put_stroke(Request& request, const MaskStroke& stroke, bool hides) {
  const std::int64_t query_len = stroke.query_len, key_len = stroke.key_len;
  const auto index = [&](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * key_len + j); };
  const Wish own = hides ? Wish::hide : Wish::show;
  for (const PaintedCells& cells : fewest_rectangles_of(query_len, key_len, [&](std::int64_t i, std::int64_t j) {
         return stroke.cells[index(i, j)] != 0 ? own : Wish::none;
       })) {
    put_paint(request, cells);
  }
  std::vector<PaintedCells>& paint = request.paint;
  auto first = paint.end();
  while (first != paint.begin() && lies_within(*std::prev(first), query_len, key_len)) --first;
  std::vector<Wish> grid(stroke.cells.size(), Wish::none);
  for (auto cells = first; cells != paint.end(); ++cells) {
    for (std::int64_t i = cells->query_begin; i < cells->query_end; ++i) {
      for (std::int64_t j = cells->key_begin; j < cells->key_end; ++j) {
        grid[index(i, j)] = cells->hides ? Wish::hide : Wish::show;
      }
    }
  }
  const std::vector<PaintedCells> merged =
      fewest_rectangles_of(query_len, key_len, [&](std::int64_t i, std::int64_t j) { return grid[index(i, j)]; });
  if (static_cast<std::ptrdiff_t>(merged.size()) >= paint.end() - first) return;
  paint.erase(first, paint.end());
  paint.insert(paint.end(), merged.begin(), merged.end());
}

void erase_stroke(Request& request, const MaskStroke& stroke) {
  for (const PaintedCells& cells :
       fewest_rectangles_of(stroke.query_len, stroke.key_len, [&](std::int64_t i, std::int64_t j) {
         return stroke.cells[static_cast<std::size_t>(i * stroke.key_len + j)] != 0 ? Wish::hide : Wish::none;
       })) {
    erase_paint(request, cells);
  }
}

}  // namespace headscope

#include "app/session/background/cell_search.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>

namespace headscope {
namespace {

constexpr std::int64_t kStripValues = std::int64_t{1} << 20;
constexpr std::chrono::milliseconds kPublish{100};

std::span<const std::uint8_t> hidden_of(const CellSearchQuery& query, std::int64_t row,
                                        std::vector<std::uint8_t>& buffer) {
  if (!query.mask) return {};
  buffer.resize(static_cast<std::size_t>(query.matrix.dim(1)));
  query.mask->hidden.read_row(query.key.batch, query.key.slice, row, buffer);
  return buffer;
}

std::vector<std::int64_t> columns_of(const CellSearchQuery& query, std::int64_t row) {
  std::vector<float> values(static_cast<std::size_t>(query.matrix.dim(1)));
  query.matrix.read(Region{{row, row + 1}, {0, query.matrix.dim(1)}}, values);
  std::vector<std::uint8_t> buffer;
  return matching_columns(query.condition, values, hidden_of(query, row, buffer));
}

}  // namespace

CellMatches find_cells(const CellSearchQuery& query, const CancelToken& cancel, const CellSearches::Publish& publish) {
  const std::int64_t rows = query.matrix.dim(0), columns = query.matrix.dim(1);
  const std::int64_t strip =
      std::clamp<std::int64_t>(kStripValues / std::max<std::int64_t>(1, columns), 1, std::max<std::int64_t>(1, rows));
  CellMatches matches;
  std::vector<float> values;
  std::vector<std::uint8_t> hidden;
  auto published = std::chrono::steady_clock::now();
  for (std::int64_t begin = 0; begin < rows; begin += strip) {
    cancel.check();
    const Range part{begin, std::min(begin + strip, rows)};
    values.resize(static_cast<std::size_t>(part.size() * columns));
    query.matrix.read(Region{part, {0, columns}}, values);
    for (std::int64_t row = part.begin; row < part.end; ++row) {
      const auto from = static_cast<std::size_t>((row - part.begin) * columns);
      const std::span<const float> line(values.data() + from, static_cast<std::size_t>(columns));
      const auto found = std::ssize(matching_columns(query.condition, line, hidden_of(query, row, hidden)));
      matches.rows.push_back(found);
      matches.count += found;
    }
    const auto now = std::chrono::steady_clock::now();
    if (part.end < rows && now - published >= kPublish) {
      publish(matches);
      published = now;
    }
  }
  return matches;
}

std::optional<CellMatch> next_match(const CellSearchQuery& query, const CellMatches& matches, const CellFrom& from,
                                    bool forward) {
  const auto rows = std::ssize(matches.rows);
  if (matches.count == 0 || rows == 0) return std::nullopt;
  const auto found = [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    const std::int64_t before = std::accumulate(matches.rows.begin(), matches.rows.begin() + row, std::int64_t{0});
    return CellMatch{row, column, before + place};
  };
  const bool inside = from.row && from.column && *from.row >= 0 && *from.row < rows;
  if (inside) {
    const std::vector<std::int64_t> own = columns_of(query, *from.row);
    const auto behind = forward ? std::upper_bound(own.begin(), own.end(), *from.column)
                                : std::lower_bound(own.begin(), own.end(), *from.column);
    if (forward && behind != own.end()) return found(*from.row, *behind, behind - own.begin());
    if (!forward && behind != own.begin()) return found(*from.row, *(behind - 1), behind - 1 - own.begin());
  }
  const std::int64_t start = inside ? *from.row : forward ? -1 : rows;
  for (std::int64_t step = 1; step <= rows; ++step) {
    const std::int64_t row = ((forward ? start + step : start - step) % rows + rows) % rows;
    if (matches.rows[static_cast<std::size_t>(row)] == 0) continue;
    const std::vector<std::int64_t> columns = columns_of(query, row);
    if (columns.empty()) return std::nullopt;
    return forward ? found(row, columns.front(), 0) : found(row, columns.back(), std::ssize(columns) - 1);
  }
  return std::nullopt;
}

}  // namespace headscope

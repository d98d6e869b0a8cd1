#include "core/diagnose/wrong_borders.h"

namespace headscope {

std::vector<CellStretch> stretches_of(const std::vector<std::uint8_t>& marked) {
  std::vector<CellStretch> found;
  const auto count = static_cast<std::int64_t>(marked.size());
  for (std::int64_t k = 0; k < count; ++k) {
    if (marked[static_cast<std::size_t>(k)] == 0) continue;
    if (found.empty() || found.back().end != k) found.push_back({0, k, k});
    found.back().end = k + 1;
  }
  return found;
}

std::vector<CellStretch> borders_of(const WrongCells& wrong, bool across, std::size_t most) {
  const auto rows = static_cast<std::int64_t>(wrong.rows.size());
  const auto columns = static_cast<std::int64_t>(wrong.columns.size());
  const std::int64_t lines = across ? rows : columns, cells = across ? columns : rows;
  const auto differs = [&](std::int64_t line, std::int64_t cell) {
    return line >= 0 && line < lines && (across ? wrong.at(line, cell) : wrong.at(cell, line));
  };
  std::vector<CellStretch> found;
  for (std::int64_t line = 0; line <= lines && found.size() <= most; ++line) {
    bool open = false;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const bool border = differs(line - 1, cell) != differs(line, cell);
      if (border && !open) found.push_back({line, cell, cell});
      if (border) found.back().end = cell + 1;
      open = border;
    }
  }
  return found;
}

}  // namespace headscope

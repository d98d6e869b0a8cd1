#include "core/sweep/sweep_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace headscope {
namespace {

struct Place {
  std::string row;
  std::int64_t column = 0;
};

Place place_of_cell(const Sweep& sweep, const SweepCell& cell) {
  const std::string layer = fmt::format("layer {}", cell.layer);
  switch (sweep.patch) {
    case SweepPatch::heads:
      return {layer, *cell.head};
    case SweepPatch::positions:
      return {layer, *cell.position};
    case SweepPatch::stages:
      return {cell.stage, cell.layer};
    case SweepPatch::paths:
      break;
  }
  if (sweep.into) return {fmt::format("layer {} to {}", cell.from->layer, cell.stage), cell.from->head};
  return {fmt::format("{} {}", layer, cell.stage), *cell.head};
}

}  // namespace

std::optional<std::size_t> SweepMap::cell(std::int64_t row, std::int64_t column) const {
  const std::int64_t found = cells[static_cast<std::size_t>(row * columns + column)];
  return found < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(found));
}

SweepMap sweep_map(const Sweep& sweep) {
  SweepMap map;
  const bool stages = sweep.patch == SweepPatch::stages;
  map.row_word = stages ? "stage" : sweep.patch == SweepPatch::paths ? "path" : "layer";
  map.column_word = stages ? "layer" : sweep.patch == SweepPatch::positions ? "position" : "head";
  std::map<std::string, std::int64_t> row_of;
  std::vector<std::pair<std::int64_t, std::int64_t>> places;  // row, column
  for (const SweepCell& cell : sweep.cells) {
    const Place place = place_of_cell(sweep, cell);
    const auto [row, is_new] = row_of.try_emplace(place.row, map.rows);
    if (is_new) {
      ++map.rows;
      map.row_names.push_back(place.row);
    }
    map.columns = std::max(map.columns, place.column + 1);
    places.emplace_back(row->second, place.column);
  }
  map.cells.assign(static_cast<std::size_t>(map.rows * map.columns), -1);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto& [row, column] = places[k];
    map.cells[static_cast<std::size_t>(row * map.columns + column)] = static_cast<std::int64_t>(k);
  }
  return map;
}

std::string sweep_cell_name(const SweepCell& cell, const std::vector<std::string>& tokens) {
  if (cell.from) {
    return fmt::format("layer {}, head {}, into {} of layer {}, head {}", cell.from->layer, cell.from->head, cell.stage,
                       cell.layer, *cell.head);
  }
  if (cell.head) return fmt::format("layer {}, head {}", cell.layer, *cell.head);
  if (!cell.position) return fmt::format("layer {}, {}", cell.layer, cell.stage);
  const auto at = static_cast<std::size_t>(*cell.position);
  return fmt::format("layer {}, position {} {}", cell.layer, at, at < tokens.size() ? tokens[at] : "");
}

const SweepCell* farthest_cell(const Sweep& sweep, std::size_t known, bool estimated) {
  const SweepCell* farthest = nullptr;
  double largest = 0;
  for (std::size_t k = 0; k < known; ++k) {
    const double change = std::fabs(change_of(sweep, sweep.cells[k], estimated));
    if (!std::isfinite(change) || !(change > largest)) continue;
    largest = change;
    farthest = &sweep.cells[k];
  }
  return farthest;
}

}  // namespace headscope

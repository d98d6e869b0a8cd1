#include "core/sweep/sweep_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/request/stage.h"

namespace headscope {
namespace {

struct Place {
  std::string row;
  std::int64_t column = 0;
};

std::string layer_row(const SweepCell& cell) {
  return fmt::format("layer {}", cell.layer);
}

std::string stage_row(const SweepCell& cell) {
  return cell.stage;
}

std::string part_row(const SweepCell& cell) {
  return fmt::format("layer {} {}", cell.layer, cell.stage);
}

std::string head_row(const SweepCell& cell) {
  return fmt::format("layer {}, head {}", cell.layer, *cell.head);
}

std::int64_t layer_column(const SweepCell& cell) {
  return cell.layer;
}

std::int64_t head_column(const SweepCell& cell) {
  return *cell.head;
}

std::int64_t position_column(const SweepCell& cell) {
  return *cell.position;
}

std::int64_t neuron_column(const SweepCell& cell) {
  return *cell.neuron;
}

constexpr SweepMapInfo kMaps[] = {
    {SweepPatch::heads, "layer", "head", "Rows: layers; columns: heads, whose context is replaced at all positions.",
     layer_row, head_column},
    {SweepPatch::positions, "layer", "position",
     "Rows: layers; columns: the position at which the stream before the layer is replaced.", layer_row,
     position_column},
    {SweepPatch::stages, "stage", "layer", "Rows: the stage that is replaced whole; columns: layers.", stage_row,
     layer_column},
    {SweepPatch::paths, "path", "head", "", part_row, head_column},
    {SweepPatch::heads_positions, "head", "position",
     "Rows: heads of layers; columns: the position at which the head's context is replaced.", head_row,
     position_column},
    {SweepPatch::head_parts, "part", "head",
     "Rows: layers, and the part that is replaced; columns: heads, of key and value those of groups.", part_row,
     head_column},
    {SweepPatch::mlps, "stage", "layer",
     "What the MLP of a layer adds to the stream is replaced at all positions; columns: layers.", stage_row,
     layer_column},
    {SweepPatch::neurons, "layer", "neuron", "Rows: layers; columns: neurons of its MLP, replaced at all positions.",
     layer_row, neuron_column}};

Place place_of_cell(const Sweep& sweep, const SweepCell& cell) {
  if (sweep.into) return {fmt::format("layer {} to {}", cell.from->layer, cell.stage), cell.from->head};
  const SweepMapInfo& info = sweep_map_info(sweep.patch);
  return {info.row(cell), info.column(cell)};
}

}  // namespace

const SweepMapInfo& sweep_map_info(SweepPatch patch) {
  return *std::find_if(std::begin(kMaps), std::end(kMaps), [patch](const auto& info) { return info.patch == patch; });
}

std::optional<std::size_t> SweepMap::cell(std::int64_t row, std::int64_t column) const {
  const std::int64_t found = cells[static_cast<std::size_t>(row * columns + column)];
  return found < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(found));
}

SweepMap sweep_map(const Sweep& sweep) {
  SweepMap map;
  map.row_word = sweep_map_info(sweep.patch).row_word;
  map.column_word = sweep_map_info(sweep.patch).column_word;
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
  std::string name = fmt::format("layer {}", cell.layer);
  if (cell.head) name += fmt::format(", head {}", *cell.head);
  if (cell.neuron) return name + fmt::format(", neuron {}", *cell.neuron);
  const bool part = cell.head && cell.stage != stage_name(StageId::context);
  if (part || (!cell.head && !cell.position)) name += ", " + cell.stage;
  if (!cell.position) return name;
  const auto at = static_cast<std::size_t>(*cell.position);
  return name + fmt::format(", position {} {}", at, at < tokens.size() ? tokens[at] : "");
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

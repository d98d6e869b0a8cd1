#include "core/sweep/measured_cell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/request/option_text.h"

namespace headscope {
namespace {

constexpr const char* kOption = "metric";
constexpr const char* kExpected = "cell:[L/]STAGE:B,H,I,J";
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

const Trace& layer_of(const ModelTrace& model, const MeasuredCell& cell) {
  return *model.layers[static_cast<std::size_t>(cell.layer)];
}

}  // namespace

MeasuredCell parse_measured_cell(std::string_view text) {
  MeasuredCell cell;
  std::string_view rest = text;
  const std::size_t slash = rest.find('/');
  if (slash != rest.npos && is_number(rest.substr(0, slash))) {
    cell.layer = parse_whole(kOption, rest.substr(0, slash), 0, kMost);
    rest.remove_prefix(slash + 1);
  }
  const std::size_t colon = rest.find(':');
  const std::optional<StageId> stage = stage_named(rest.substr(0, colon));
  if (!stage || colon == rest.npos) refuse_value(kOption, text, "a cell of a stage", kExpected);
  cell.stage = *stage;
  for (const std::string& place : parse_list(kOption, rest.substr(colon + 1), "a list of places", kExpected)) {
    if (cell.index.count == kMaxRank) refuse_value(kOption, text, "a cell of a stage", kExpected);
    cell.index.push_back(parse_whole(kOption, place, 0, kMost));
  }
  return cell;
}

std::string measured_cell_text(const MeasuredCell& cell) {
  const std::vector<std::int64_t> places(cell.index.begin(), cell.index.end());
  return fmt::format("{}{}:{}", cell.layer < 0 ? "" : fmt::format("{}/", cell.layer), stage_name(cell.stage),
                     fmt::join(places, ","));
}

bool has_cell(const ModelTrace& model, const MeasuredCell& cell) {
  if (cell.layer >= std::ssize(model.layers)) return false;
  const Stage* const stage = layer_of(model, cell).find(cell.stage);
  if (stage == nullptr) return false;
  const Shape& shape = stage->tensor.shape();
  if (cell.index.count != shape.count) return false;
  for (int axis = 0; axis < shape.count; ++axis) {
    if (cell.index[axis] >= shape[axis]) return false;
  }
  return true;
}

MeasuredCell settled_cell(const ModelTrace& model, MeasuredCell cell) {
  if (cell.layer < 0) cell.layer = model.layer;
  const std::int64_t layers = std::ssize(model.layers);
  if (cell.layer >= layers) {
    throw UsageError(kOption, fmt::format("found layer {}, but there are {}", cell.layer, layers),
                     fmt::format("0 to {}", layers - 1));
  }
  const Stage* const stage = layer_of(model, cell).find(cell.stage);
  if (stage == nullptr) {
    throw UsageError(kOption, fmt::format("found {}, which layer {} does not have", stage_name(cell.stage), cell.layer),
                     "a stage of that layer");
  }
  if (!has_cell(model, cell)) {
    throw UsageError(kOption,
                     fmt::format("found {}, but {} has the shape {}", measured_cell_text(cell), stage_name(cell.stage),
                                 to_string(stage->tensor.shape())),
                     "a place inside of it");
  }
  return cell;
}

double measured_value(const ModelTrace& model, const MeasuredCell& cell) {
  return static_cast<double>(layer_of(model, cell).tensor(cell.stage).at(cell.index));
}

std::optional<MeasuredCell> cell_in_source(const ModelTrace& model, const MeasuredCell& cell, const Patches& found) {
  const Axes& axes = layer_of(model, cell).tensor(cell.stage).axes();
  MeasuredCell partner = cell;
  for (int axis = 0; axis < cell.index.count; ++axis) {
    const bool query = axes[axis] == Axis::query || axes[axis] == Axis::position;
    if (!query && axes[axis] != Axis::key) continue;
    const std::vector<std::int64_t>& places = query ? found.query_of : found.key_of;
    const std::int64_t place = cell.index[axis];
    if (place >= std::ssize(places) || places[static_cast<std::size_t>(place)] < 0) return std::nullopt;
    partner.index[axis] = places[static_cast<std::size_t>(place)];
  }
  return partner;
}

}  // namespace headscope

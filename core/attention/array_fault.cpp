// array_fault(): what cannot be of an array beside the stage that it changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/attention/array_places.h"
#include "core/attention/stage_arrays.h"
#include "core/attention/stage_rows.h"
#include "core/model/own_arrays.h"
#include "core/request/intervention_text.h"

namespace headscope {
namespace {

// Why a place is not there; nothing where all are, or where places may come with a text that grows.
std::optional<ArrayFault> place_fault(const ArrayPlaces& places, std::string_view stage) {
  const StageArray& array = places.array();
  const Range chosen = places.chosen();
  const std::int64_t count = places.rows();
  if (array.prompt || !array.places || (chosen.begin >= 0 && chosen.size() > 0 && chosen.end <= count)) return {};
  const auto [first, last] = *array.places;
  const std::string found =
      first == last ? fmt::format("position {}", first) : fmt::format("positions {}..{}", first, last);
  return ArrayFault{fmt::format("{} has no {}", stage, found),
                    fmt::format("The {} positions are 0 to {}, or {} to -1 from the end.", count, count - 1, -count)};
}

std::optional<ArrayFault> size_fault(const ArrayPlaces& places, std::string_view stage, const Shape& found) {
  if (places.fit()) return {};
  std::string shapes;
  const std::vector<Shape> all = places.expected();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k > 0) shapes += k + 1 == all.size() ? " or " : ", ";
    shapes += to_string(all[k]);
  }
  return ArrayFault{
      fmt::format("{} is {}, which does not fit {}", places.array().file, to_string(found), stage),
      fmt::format("Expected {}: one row for every chosen place, one for each, or the whole stage.", shapes)};
}

// A direction must have a length.
std::optional<ArrayFault> direction_fault(const ArrayPlaces& places, const Shape& shape) {
  std::optional<ArrayFault> fault;
  visit_rows(whole(shape), [&](const Index& at, std::int64_t) {
    if (fault || !places.covers(at)) return;
    const std::span<const float> row = places.row(at);
    double square = 0;
    for (const float each : row) square += static_cast<double>(each) * static_cast<double>(each);
    if (square > 0 && std::isfinite(square)) return;
    const bool zero = square == 0;
    fault = ArrayFault{fmt::format("{} holds a direction {}", places.array().file,
                                   zero ? "of zeros" : "with numbers that are not finite"),
                       "What is taken out lies along a direction, which needs a length above 0."};
  });
  return fault;
}

}  // namespace

std::optional<ArrayFault> array_fault(const StageArray& array, const Inputs& inputs, const Shape& shape) {
  const std::string_view stage = changed_stage(array, inputs);
  const std::vector<StageAxis>& axes = named_axes(stage);
  if (row_axis(axes) + 1 == static_cast<int>(axes.size())) {
    return ArrayFault{fmt::format("{} takes no array", stage), "It has one number a position, and no features."};
  }
  for (int axis = 0; axis < shape.count && array.head; ++axis) {
    if (axes[static_cast<std::size_t>(axis)].axis != Axis::head || *array.head < shape[axis]) continue;
    return ArrayFault{fmt::format("{} has no head {}", stage, *array.head),
                      fmt::format("The {} heads are 0 to {}.", shape[axis], shape[axis] - 1)};
  }
  if (!array.file.empty() && (inputs.arrays == nullptr || inputs.arrays->find(array) == nullptr)) {
    return ArrayFault{fmt::format("{} was not read", array.file), "What computes here takes no arrays of files."};
  }
  const ArrayPlaces places(array, inputs, stage, shape);
  if (std::optional<ArrayFault> fault = place_fault(places, stage)) return fault;
  if (array.file.empty()) return {};
  if (auto fault = size_fault(places, stage, inputs.arrays->find(array)->numbers.shape())) return fault;
  return array.use == ArrayUse::project_out ? direction_fault(places, shape) : std::nullopt;
}

}  // namespace headscope

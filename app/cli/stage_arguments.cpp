#include "app/cli/stage_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "app/cli/arguments.h"
#include "core/base/error.h"
#include "core/base/from_end.h"

namespace headscope::cli {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string axes_text(const Tensor& tensor) {
  std::string text;
  for (const Axis axis : tensor.axes()) text += (text.empty() ? "" : ", ") + std::string(axis_name(axis));
  return text;
}

std::string names_of_stages() {
  std::string list;
  for (const StageId stage : all_stages()) list += (list.empty() ? "" : ", ") + std::string(stage_name(stage));
  return list;
}

// "'weights' or another name of a stage: ", "a stage: "
std::string nearest_text(const std::string& name, bool with_models) {
  std::vector<std::string> known;
  for (const StageId stage : all_stages()) known.emplace_back(stage_name(stage));
  if (with_models) {
    for (const ModelStageInfo& info : model_stage_infos()) known.emplace_back(info.name);
  }
  const std::string nearest = nearest_name(name, known);
  return (nearest.empty() ? "" : fmt::format("'{}' or another name of ", nearest)) + "a stage: ";
}

constexpr std::int64_t kMostIndex = std::numeric_limits<std::int64_t>::max() / 4;

std::optional<std::int64_t> index_from(const std::string& option, const std::string& text) {
  if (text == ":") return std::nullopt;
  return whole_number(option, text, 0, kMostIndex);
}

std::optional<Range> range_from(const std::string& option, const std::string& text) {
  if (text == ":") return std::nullopt;
  const std::vector<std::string> ends = split(text, ':');
  if (ends.size() != 2) throw UsageError(option, fmt::format("found '{}'", text), "BEGIN:END, or : for all");
  const Range range{whole_number(option, ends[0], 0, kMostIndex), whole_number(option, ends[1], 0, kMostIndex)};
  if (range.size() <= 0) {
    throw UsageError(option, fmt::format("found '{}', which is empty", text), "BEGIN:END with BEGIN below END");
  }
  return range;
}

}  // namespace

StageId stage_from(const std::string& option, const std::string& name) {
  if (const std::optional<StageId> stage = stage_named(name)) return *stage;
  const std::string list = names_of_stages();
  if (model_stage_named(name)) {
    throw UsageError(option, fmt::format("found '{}', a stage of the whole model", name),
                     "a stage of a layer: " + list);
  }
  throw UsageError(option, fmt::format("found '{}'", name), nearest_text(name, false) + list);
}

const Stage& stage_of(const Trace& trace, StageId stage) {
  if (const Stage* found = trace.find(stage)) return *found;
  std::string list;
  for (const Stage& each : trace.stages) list += (list.empty() ? "" : ", ") + std::string(stage_name(each.id));
  throw UsageError("stage", fmt::format("this request has no {}", stage_name(stage)), fmt::format("one of {}", list));
}

std::vector<StageId> stages_from(const std::string& option, const std::string& text) {
  std::vector<StageId> stages;
  if (text == "all") return stages;
  for (const std::string& name : split(text, ',')) {
    const StageId stage = stage_from(option, name);
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
  }
  return stages;
}

ExportNames export_names_from(const std::string& option, const std::string& text) {
  ExportNames names;
  if (text == "all") return names;
  const auto add = [](auto& list, auto id) {
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  };
  for (const std::string& name : split(text, ',')) {
    if (const std::optional<ModelStageId> of_model = model_stage_named(name)) {
      add(names.of_model, *of_model);
    } else if (const std::optional<StageId> stage = stage_named(name)) {
      add(names.stages, *stage);
    } else {
      throw UsageError(option, fmt::format("found '{}'", name),
                       fmt::format("{}{}; or of a whole model: {}", nearest_text(name, true), names_of_stages(),
                                   model_stage_names()));
    }
  }
  return names;
}

std::vector<std::int64_t> cell_numbers_from(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : split(text, ',')) numbers.push_back(parse_place(option, part));
  return numbers;
}

Index cell_from(const std::vector<std::int64_t>& numbers, StageId stage, const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  if (static_cast<int>(numbers.size()) != shape.count) {
    throw UsageError("at", fmt::format("found {} numbers; {} is {} [{}], expected {}", numbers.size(),
                                       stage_name(stage), to_string(shape), axes_text(tensor), shape.count));
  }
  Index index;
  for (int axis = 0; axis < shape.count; ++axis) {
    const std::int64_t at = counted_from_end(numbers[static_cast<std::size_t>(axis)], shape[axis]);
    if (at < 0 || at >= shape[axis]) {
      throw UsageError(
          "at",
          fmt::format("found {} {}; {} is {}", axis_name(tensor.axes()[axis]), at, stage_name(stage), to_string(shape)),
          places_text(shape[axis]));
    }
    index.push_back(at);
  }
  return index;
}

ExportRegion region_from(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 4) {
    throw UsageError(option, fmt::format("found '{}'", text), "B,H,I0:I1,J0:J1, with : for all of an axis");
  }
  return {index_from(option, parts[0]), index_from(option, parts[1]), range_from(option, parts[2]),
          range_from(option, parts[3])};
}

}  // namespace headscope::cli

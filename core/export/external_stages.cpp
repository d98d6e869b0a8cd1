#include "core/export/external_stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

// With an axis of batch in front where only that is missing.
Tensor with_batch(const Tensor& tensor, const Tensor& own) {
  if (tensor.rank() + 1 != own.rank() || own.dim(0) != 1) return tensor;
  Shape shape{1};
  for (const std::int64_t size : tensor.shape()) shape.push_back(size);
  return tensor.reshaped(shape, own.axes());
}

std::string stages_text(const Trace& ours) {
  std::vector<std::string_view> names;
  for (const Stage& stage : ours.stages) names.push_back(stage_name(stage.id));
  return fmt::format("{}", fmt::join(names, ", "));
}

// The stage whose name the file's ends with; the longest.
std::optional<StageId> stage_of_name(const Trace& ours, const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  name = name.substr(0, name.find_last_of('.'));
  std::optional<StageId> best;
  for (const Stage& stage : ours.stages) {
    const std::string_view word = stage_name(stage.id);
    if (name.ends_with(word) && (!best || word.size() > stage_name(*best).size())) best = stage.id;
  }
  return best;
}

std::optional<StageId> stage_of_shape(const Trace& ours, const Tensor& tensor) {
  for (auto stage = ours.stages.rbegin(); stage != ours.stages.rend(); ++stage) {
    if (with_batch(tensor, stage->tensor).shape() == stage->tensor.shape()) return stage->id;
  }
  return std::nullopt;
}

const Tensor& own_stage(const Trace& ours, StageId stage) {
  const Stage* found = ours.find(stage);
  if (found == nullptr) {
    throw UsageError("stage", fmt::format("this request has no {}", stage_name(stage)),
                     fmt::format("one of {}", stages_text(ours)));
  }
  return found->tensor;
}

}  // namespace

std::vector<ExternalStage> read_external_stages(const Trace& ours, const std::string& path,
                                                std::optional<StageId> stage) {
  std::vector<ExternalStage> result;
  if (path.ends_with(".safetensors")) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    for (const SafetensorsEntry& entry : file.entries()) {
      const std::optional<StageId> id = stage_named(entry.name);
      if (!id || ours.find(*id) == nullptr || (stage && *stage != *id)) continue;
      result.push_back({*id, with_batch(file.tensor(entry), ours.tensor(*id))});
    }
    if (!result.empty()) return result;
    if (stage) own_stage(ours, *stage);
    throw Error(fmt::format("{}: holds no tensor named like a stage; expected {}", path,
                            stage ? std::string(stage_name(*stage)) : "one or more of " + stages_text(ours)));
  }
  const Tensor tensor = read_npy(path).tensor;
  if (!stage) stage = stage_of_name(ours, path);
  if (!stage) stage = stage_of_shape(ours, tensor);
  if (!stage) {
    throw Error(fmt::format("{}: found {}; no stage has that shape, and the name ends with none of {}", path,
                            to_string(tensor.shape()), stages_text(ours)));
  }
  result.push_back({*stage, with_batch(tensor, own_stage(ours, *stage))});
  return result;
}

}  // namespace headscope

#include "core/export/external_stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/tensor_file.h"
#include "core/io/tensor_formats.h"

namespace headscope {
namespace {

// With an axis of batch in front where only that is missing.
Tensor with_batch(const Tensor& tensor, const Tensor& own) {
  if (tensor.rank() + 1 != own.rank() || own.dim(0) != 1) return tensor;
  Shape shape{1};
  for (const std::int64_t size : tensor.shape()) shape.push_back(size);
  return shape == own.shape() ? tensor.reshaped(shape, own.axes()) : tensor;
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

// A row gives a name that other programs have for a stage.
struct StageAlias {
  std::string_view name;
  StageId stage;
};
constexpr StageAlias kAliases[] = {{"q", StageId::query},
                                   {"k", StageId::key},
                                   {"v", StageId::value},
                                   {"attn_scores", StageId::scores},
                                   {"attn", StageId::weights},
                                   {"attn_weights", StageId::weights},
                                   {"attention_weights", StageId::weights},
                                   {"o", StageId::output},
                                   {"out", StageId::output},
                                   {"attn_output", StageId::output}};

std::optional<StageId> stage_called(std::string_view name) {
  if (const std::optional<StageId> id = stage_named(name)) return id;
  const auto alias =
      std::find_if(std::begin(kAliases), std::end(kAliases), [=](const StageAlias& each) { return each.name == name; });
  return alias == std::end(kAliases) ? std::nullopt : std::optional(alias->stage);
}

const Tensor& own_stage(const Trace& ours, StageId stage) {
  const Stage* found = ours.find(stage);
  if (found == nullptr) {
    throw UsageError("stage", fmt::format("this request has no {}", stage_name(stage)),
                     fmt::format("one of {}", stages_text(ours)));
  }
  return found->tensor;
}

// Gathers the tensors of a file that are named like one of our stages, each stage once.
class NamedStages {
 public:
  NamedStages(const Trace& ours, std::string path, std::optional<StageId> wanted)
      : ours_(ours), path_(std::move(path)), wanted_(wanted) {}

  // Whether the tensor of that name is looked for.
  std::optional<StageId> wanted(std::string_view name) const {
    const std::optional<StageId> id = stage_called(name);
    return id && ours_.find(*id) != nullptr && (!wanted_ || *wanted_ == *id) ? id : std::nullopt;
  }
  void add(StageId id, const Tensor& tensor) {
    for (const ExternalStage& each : found_) {
      if (each.stage == id) throw Error(fmt::format("{}: holds {} twice", path_, stage_name(id)));
    }
    found_.push_back({id, with_batch(tensor, ours_.tensor(id))});
  }
  std::vector<ExternalStage> taken() {
    if (!found_.empty()) return std::move(found_);
    if (wanted_) own_stage(ours_, *wanted_);
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(path_, ignored);
    throw Error(fmt::format("{}: {} named like a stage; expected {}", path_,
                            is_folder ? "is a folder that holds no .npy file" : "holds no tensor",
                            wanted_ ? std::string(stage_name(*wanted_)) : "one or more of " + stages_text(ours_)));
  }

 private:
  const Trace& ours_;
  std::string path_;
  std::optional<StageId> wanted_;
  std::vector<ExternalStage> found_;
};

std::vector<ExternalStage> stages_of_folder(const Trace& ours, const std::string& path, std::optional<StageId> stage) {
  NamedStages found(ours, path, stage);
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() != ".npy") continue;
    if (const auto id = found.wanted(entry.path().stem().string()))
      found.add(*id, read_npy(entry.path().string()).tensor);
  }
  return found.taken();
}

std::vector<ExternalStage> stages_of_npz(const Trace& ours, const std::string& path, std::optional<StageId> stage) {
  NamedStages found(ours, path, stage);
  for (const NpzEntry& entry : read_npz(path)) {
    const auto id = entry.holds_numbers() ? found.wanted(entry.name) : std::nullopt;
    if (id) found.add(*id, parse_npz_array(entry).tensor);
  }
  return found.taken();
}

std::vector<ExternalStage> stages_of_tensor_file(const Trace& ours, const std::string& path,
                                                 std::optional<StageId> stage) {
  const TensorFile file = open_tensor_file(path);
  NamedStages found(ours, path, stage);
  for (const TensorEntry& entry : file.entries) {
    if (const auto id = found.wanted(entry.name)) found.add(*id, file.tensor(entry));
  }
  return found.taken();
}

}  // namespace

bool names_its_stages(const std::string& path) {
  constexpr std::string_view kEndings[] = {".safetensors", ".npz", ".pt", ".pth", ".bin"};
  std::error_code ignored;
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return path.ends_with(ending); }) ||
         std::filesystem::is_directory(path, ignored);
}

std::vector<ExternalStage> read_external_stages(const Trace& ours, const std::string& path,
                                                std::optional<StageId> stage) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return stages_of_folder(ours, path, stage);
  if (path.ends_with(".npz")) return stages_of_npz(ours, path, stage);
  if (names_its_stages(path)) return stages_of_tensor_file(ours, path, stage);
  const Tensor tensor = read_npy(path).tensor;
  if (!stage) stage = stage_of_name(ours, path);
  if (!stage) stage = stage_of_shape(ours, tensor);
  if (!stage) {
    throw Error(fmt::format("{}: found {}; no stage has that shape, and the name ends with none of {}", path,
                            to_string(tensor.shape()), stages_text(ours)));
  }
  return {{*stage, with_batch(tensor, own_stage(ours, *stage))}};
}

}  // namespace headscope
